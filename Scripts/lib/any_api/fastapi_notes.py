"""FastAPI as its tutorial builds a service with a database (fastapi.tiangolo.com/tutorial/sql-databases): `uvicorn fastapi_notes:app`.

Server ids; `offset` and `limit`, an array without a total; a POST is answered with 200 and a DELETE with `{"ok": true}`; no ETags.
The file of the database is in ANY_API_DATABASE.
"""

import os
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException, Query
from sqlmodel import Field, Session, SQLModel, create_engine, select


class NoteBase(SQLModel):
    title: str = Field(index=True, max_length=120)
    body: str = Field(max_length=400)


class Note(NoteBase, table=True):
    # Without it SQLite gives the id of the last row, when it is deleted, to the next one.
    __table_args__ = {"sqlite_autoincrement": True}
    id: int | None = Field(default=None, primary_key=True)


class NotePublic(NoteBase):
    id: int


class NoteCreate(NoteBase):
    pass


class NoteUpdate(SQLModel):
    title: str | None = Field(default=None, max_length=120)
    body: str | None = Field(default=None, max_length=400)


engine = create_engine(
    f"sqlite:///{os.environ['ANY_API_DATABASE']}", connect_args={"check_same_thread": False, "timeout": 20})
SQLModel.metadata.create_all(engine)


def get_session():
    with Session(engine) as session:
        yield session


SessionDep = Annotated[Session, Depends(get_session)]
app = FastAPI()


@app.post("/notes/", response_model=NotePublic)
def create_note(note: NoteCreate, session: SessionDep):
    db_note = Note.model_validate(note)
    session.add(db_note)
    session.commit()
    session.refresh(db_note)
    return db_note


@app.get("/notes/", response_model=list[NotePublic])
def read_notes(session: SessionDep, offset: int = 0, limit: Annotated[int, Query(le=100)] = 100):
    return session.exec(select(Note).offset(offset).limit(limit)).all()


@app.get("/notes/{note_id}", response_model=NotePublic)
def read_note(note_id: int, session: SessionDep):
    note = session.get(Note, note_id)
    if not note:
        raise HTTPException(status_code=404, detail="Note not found")
    return note


@app.patch("/notes/{note_id}", response_model=NotePublic)
def update_note(note_id: int, note: NoteUpdate, session: SessionDep):
    note_db = session.get(Note, note_id)
    if not note_db:
        raise HTTPException(status_code=404, detail="Note not found")
    note_db.sqlmodel_update(note.model_dump(exclude_unset=True))
    session.add(note_db)
    session.commit()
    session.refresh(note_db)
    return note_db


@app.delete("/notes/{note_id}")
def delete_note(note_id: int, session: SessionDep):
    note = session.get(Note, note_id)
    if not note:
        raise HTTPException(status_code=404, detail="Note not found")
    session.delete(note)
    session.commit()
    return {"ok": True}
