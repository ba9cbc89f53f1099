"""Server-sent events from sse-starlette: the numbers from one, each with its id, and with a comment every second.

A client that names the last id gets the next one. `ends` closes the response after so many events, `pace` is the time between two in
seconds, `sep` what a line ends with.
"""

import asyncio
import json

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.applications import Starlette
from starlette.routing import Route

SEPARATORS = {"lf": "\n", "cr": "\r", "crlf": "\r\n"}


async def numbers(request):
    first = int(request.headers.get("Last-Event-ID") or 0) + 1
    last = first + int(request.query_params.get("ends", 1_000_000))
    pace = float(request.query_params.get("pace", 0))
    sep = SEPARATORS[request.query_params.get("sep", "crlf")]

    async def events():
        for number in range(first, last):
            data = json.dumps({"number": number, "text": "two\nlines"}, indent=1)
            yield ServerSentEvent(data, id=str(number), event="number", retry=100, sep=sep)
            await asyncio.sleep(pace)

    return EventSourceResponse(events(), ping=1, sep=sep)


app = Starlette(routes=[Route("/numbers", numbers)])
