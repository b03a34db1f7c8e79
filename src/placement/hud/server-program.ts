import { RARE_COLLECTIONS } from '../../functions/user/python/collections.ts';
import { CONNECT_DEBUGGER } from '../debugged-server.ts';

/** What it prints when connections to the port that it opens next must begin with the secret. */
export const TAKES_SECRET = 'Other programs cannot use the port of this environment: connections need a secret.';

/**
 * A Python program that runs HUD's server, whose port any program of this machine could use: HUD's protocol has no secret. So
 * each connection to it must begin with a line that has the secret, which is the first line of the standard input.
 */
export const SERVER_PROGRAM = `
import asyncio, hmac, importlib.util, os, runpy, sys
${RARE_COLLECTIONS}
secret = sys.stdin.buffer.readline().strip()
${CONNECT_DEBUGGER}
server = importlib.util.find_spec("hud.environment.server")
listen = asyncio.start_server

def with_secret(accept):
    async def checked(reader, writer):
        try:
            line = await asyncio.wait_for(reader.readline(), 10)
        except (asyncio.TimeoutError, ValueError, OSError):
            line = b""
        if hmac.compare_digest(line.strip(), secret):
            await accept(reader, writer)
        else:
            writer.close()
    return checked

async def start_server(accept, *args, **options):
    # Not for servers of the environment's own.
    code = getattr(accept, "__code__", None)
    if code is not None and code.co_filename == server.origin:
        print("${TAKES_SECRET}", flush=True)
        accept = with_secret(accept)
    return await listen(accept, *args, **options)

asyncio.start_server = start_server
runpy.run_module("hud.environment.server", run_name="__main__", alter_sys=True)
`;
