"""A connection to a server that a script can cut: between a home and its server in the forms of `Scripts/chaos`, and elsewhere."""

import socket
import threading
import time


class Relay(threading.Thread):
    """Passes bytes from a port of its own to the server; a cut stops them in both directions."""

    def __init__(self, stage):
        super().__init__(daemon=True)
        self.stage, self.is_cut, self.ends = stage, False, set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.start()

    def run(self):
        while True:
            near, _ = self.listener.accept()
            try:
                far = socket.create_connection(("127.0.0.1", self.stage.port), timeout=5)
            except OSError:
                near.close()
                continue
            far.settimeout(None)
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self.pass_on, args=(source, target), daemon=True).start()

    def drop(self):
        """Ends all connections, whatever is on its way."""
        for end in list(self.ends):
            _end(end)

    def passes(self, source):
        """Whether bytes from `source` go on; otherwise its connection ends."""
        return True

    def pass_on(self, source, target):
        self.ends.add(source)
        try:
            while data := source.recv(65_536):
                while self.is_cut:
                    time.sleep(0.05)
                if not self.passes(source):
                    break
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            _end(end)
        self.ends.discard(source)


def _end(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
