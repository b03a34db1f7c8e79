import { RARE_COLLECTIONS } from '../../functions/user/python/collections.ts';
import { CONNECT_DEBUGGER } from '../debugged-server.ts';

/** The user name in the address of a server that Taskwright started. */
export const USER = 'taskwright';

/**
 * A Python program that serves an app with uvicorn, as `python -m uvicorn APP --host 127.0.0.1 --port PORT --no-access-log`,
 * but only for requests with the secret, which is the first line of the standard input: OpenEnv's protocol has none, and any
 * program of this machine could use the port. Its arguments are APP and PORT.
 */
export const SERVER_PROGRAM = `
import base64, hmac, importlib.util, os, sys
${RARE_COLLECTIONS}
expected = b"Basic " + base64.b64encode(b"${USER}:" + sys.stdin.buffer.readline().strip())
${CONNECT_DEBUGGER}
import uvicorn

class WithSecret:
    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        headers = scope.get("headers", [])
        given = b"".join(value for name, value in headers if name == b"authorization")
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif hmac.compare_digest(given, expected):
            kept = [(name, value) for name, value in headers if name != b"authorization"]
            await self.app({**scope, "headers": kept}, receive, send)
        elif scope["type"] == "http":
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body"})
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1008})

class Config(uvicorn.Config):
    def load(self):
        super().load()
        self.loaded_app = WithSecret(self.loaded_app)

server = uvicorn.Server(Config(sys.argv[1], host="127.0.0.1", port=int(sys.argv[2]), access_log=False))
server.run()
if not server.started:
    sys.exit(3)
`;
