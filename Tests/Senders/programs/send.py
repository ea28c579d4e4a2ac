"""Sends the lines of the standard input to APNs; prints the answers, one on each line."""

import asyncio
import json
import os
import sys
import time

import httpx
import jwt

HOSTS = {
    "production": "https://api.push.apple.com",
    "sandbox": "https://api.sandbox.push.apple.com",
}


class ProviderToken(httpx.Auth):
    """A provider token, which is good for an hour, and may be renewed every twenty minutes."""

    token, made = None, 0

    def auth_flow(self, request):
        if time.time() - self.made > 2400:
            self.made = int(time.time())
            with open(os.environ["APNS_KEY"]) as key:
                self.token = jwt.encode(
                    {"iss": os.environ["APNS_TEAM_ID"], "iat": self.made}, key.read(), "ES256",
                    headers={"kid": os.environ["APNS_KEY_ID"]})
        request.headers["authorization"] = f"bearer {self.token}"
        yield request


async def send(client, line):
    """Sends a line, and prints the answer; tells whether there was one."""
    sent_at = int(time.time() * 1000)
    try:
        answer = await client.post(
            HOSTS[line["environment"]] + line["path"], headers=line["headers"],
            content=line["payload"].encode())
    except httpx.HTTPError as error:
        print(f"no answer: {error!r}", file=sys.stderr)
        return False
    result = {"token": line["token"], "environment": line["environment"],
              "status": answer.status_code, "sent_at": sent_at}
    print(json.dumps(result | (answer.json() if answer.content else {})), flush=True)
    return True


async def main():
    """Reads a line when one of 100 places is free, and then sends it."""
    places, answered = asyncio.Semaphore(100), True

    def end(sending):
        nonlocal answered
        answered &= sending.result()
        places.release()

    async with httpx.AsyncClient(http2=True, auth=ProviderToken(), timeout=60) as client:
        async with asyncio.TaskGroup() as tasks:
            while text := await asyncio.to_thread(sys.stdin.readline):
                if "token" not in (line := json.loads(text)):
                    continue
                await places.acquire()
                tasks.create_task(send(client, line)).add_done_callback(end)
    return answered


sys.exit(0 if asyncio.run(main()) else 1)
