// Sends the lines of the standard input to APNs by node-apn; prints the answers, one on each line.
const apn = require('@parse/node-apn');

const { APNS_KEY, APNS_KEY_ID, APNS_TEAM_ID } = process.env;
const providers = {};
const providerOf = (environment) => providers[environment] ??= new apn.Provider({
  token: { key: APNS_KEY, keyId: APNS_KEY_ID, teamId: APNS_TEAM_ID },
  production: environment === 'production',
});

function notificationOf({ headers, payload }) {
  const notification = new apn.Notification();
  notification.id = headers['apns-id'];
  notification.topic = headers['apns-topic'];
  notification.pushType = headers['apns-push-type'];
  notification.priority = Number(headers['apns-priority']);
  notification.collapseId = headers['apns-collapse-id'];
  notification.expiry = Number(headers['apns-expiration'] ?? -1);
  // The very bytes: node-apn writes JSON only if this is not there yet.
  notification.compiled = payload;
  return notification;
}

async function send(line) {
  const { token, environment } = line;
  const sent_at = Date.now();
  const { failed: [failure] } =
    await providerOf(environment).send(notificationOf(line), token);
  if (failure && !failure.status) {
    console.error(`no answer: ${failure.error?.message}`);
    process.exitCode = 1;
    return;
  }
  const { status = 200, response } = failure ?? {};
  console.log(JSON.stringify({ token, environment, status, sent_at, ...response }));
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

(async () => {
  const underWay = new Set();
  for await (const text of lines(process.stdin)) {
    const line = JSON.parse(text);
    if (!line.token) continue;
    // APNs takes one request at a time until it has seen a good token.
    const isFirst = !providers[line.environment];
    const sending = send(line).finally(() => underWay.delete(sending));
    underWay.add(sending);
    if (isFirst) await sending;
    if (underWay.size >= 500) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  for (const provider of Object.values(providers)) await provider.shutdown();
})();
