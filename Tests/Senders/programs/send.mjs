// Sends the lines of the standard input to APNs; prints the answers, one on each line.
import { createPrivateKey, sign } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';

const hosts = {
  production: 'https://api.push.apple.com', sandbox: 'https://api.sandbox.push.apple.com',
};
const { APNS_KEY, APNS_KEY_ID, APNS_TEAM_ID } = process.env;
const key = createPrivateKey(readFileSync(APNS_KEY));
const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

// A provider token is good for an hour, and may be renewed every twenty minutes.
let provider = { token: '', made: 0 };
function providerToken() {
  const now = Math.floor(Date.now() / 1000);
  if (now - provider.made > 2400) {
    const head = encoded({ alg: 'ES256', kid: APNS_KEY_ID });
    const text = `${head}.${encoded({ iss: APNS_TEAM_ID, iat: now })}`;
    const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
    provider = { token: `${text}.${signature.toString('base64url')}`, made: now };
  }
  return provider.token;
}

// APNs says how many requests it takes at once: one, until it has seen a good token.
async function open(environment) {
  const session = connect(hosts[environment]);
  await once(session, 'remoteSettings');
  return session;
}

const sessions = {};
async function send({ token, environment, path, headers, payload }) {
  const session = await (sessions[environment] ??= open(environment));
  return new Promise((resolve, reject) => {
    const sent_at = Date.now();
    const stream = session.request({
      ':method': 'POST', ':path': path, authorization: `bearer ${providerToken()}`, ...headers,
    });
    let status, body = '';
    stream.setEncoding('utf8').on('response', (fields) => { status = fields[':status']; })
      .on('data', (text) => { body += text; })
      .on('end', () => {
        const answer = body ? JSON.parse(body) : {};
        resolve({ token, environment, status, sent_at, ...answer });
      })
      .on('error', reject);
    stream.end(payload);
  });
}

// The lines of a stream. Those of node:readline end at U+2028, too, which may stand in a text.
async function* lines(input) {
  let rest = '';
  for await (const text of input.setEncoding('utf8')) {
    const parts = (rest + text).split('\n');
    rest = parts.pop();
    yield* parts;
  }
}

const underWay = new Set();
for await (const text of lines(process.stdin)) {
  const line = JSON.parse(text);
  if (!line.token) continue;
  const sending = send(line)
    .then((result) => console.log(JSON.stringify(result)))
    .catch((error) => { console.error(`no answer: ${error.message}`); process.exitCode = 1; })
    .finally(() => underWay.delete(sending));
  underWay.add(sending);
  if (underWay.size >= 500) await Promise.race(underWay);
}
await Promise.all(underWay);
for (const session of Object.values(sessions)) (await session).close();
