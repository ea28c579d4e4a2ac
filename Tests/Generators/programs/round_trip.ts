// The round trip by the client that openapi-generator makes for TypeScript. It stands beside it.

import {
  AppsApi, CatalogsApi, ChangesApi, Configuration, FeedbackApi, InstallationsApi,
  KeyRequestKindEnum, KeysApi, RenderedRequest, RenderingApi,
} from "./index";

// What Node.js has beside the browser; its types are no part of Debian's TypeScript.
declare const process: { env: Record<string, string> };
declare const require: (name: string) => any;

const { POSTILION, ROOT_KEY, APP, INSTALLATION, TOKEN, CATALOG } = process.env;

function client(key: string): Configuration {
  return new Configuration({ basePath: POSTILION, accessToken: async () => key });
}

async function main(): Promise<void> {
  const root = client(ROOT_KEY);
  const app = await new AppsApi(root).putApp({
    app: APP, appSettings: { bundleId: "com.example.food", name: "Food" },
  });
  const key = await new KeysApi(root).createKey({
    app: APP, keyRequest: { kind: KeyRequestKindEnum.Sender, label: "orders" },
  });
  const sender = client(key.key);

  const { File } = require("node:buffer");
  const strings: Blob = new File(
    [require("node:fs").readFileSync(CATALOG)], "Localizable.xcstrings");
  const catalog = await new CatalogsApi(root).putCatalog({
    app: APP, version: "412", file: [strings],
  });

  const registered = await new InstallationsApi(sender).putInstallation({
    app: APP, installationId: INSTALLATION,
    registrationReport: {
      platform: "ios", environment: "production", languages: ["fr-CA", "en-CA"],
      appBuild: "412", osVersion: "17.4.1", capabilities: ["loc-key"], tags: ["beta"],
      user: { id: "u42" }, credentials: { apns: { token: TOKEN } },
    },
  });

  const rendered = await new RenderingApi(sender).render({
    app: APP,
    renderBody: {
      message: {
        alert: { body: { key: "FOOD_READY", args: ["name", "order"] } },
        parameters: { name: { type: "string" }, order: { type: "string" } },
        mutableContent: true,
      },
      arguments: { name: "Zoé", order: "A17" },
      to: { installation: INSTALLATION },
    },
  }) as RenderedRequest;

  const page = await new InstallationsApi(sender).listInstallations({
    app: APP, tag: "beta", filter: JSON.stringify({ user: "u42" }), limit: 10,
  });

  const answer = await new FeedbackApi(sender).reportFeedback({
    app: APP,
    feedbackReport: {
      results: [{
        token: TOKEN, environment: "production", status: 410, reason: "Unregistered",
      }],
    },
  });

  const changes = await new ChangesApi(sender).listChanges({ app: APP });

  console.log(JSON.stringify({
    app: app.app, kind: key.kind, languages: catalog.languages, applied: registered.applied,
    path: rendered.path, mode: rendered.mode, payload: rendered.payload,
    listed: page.items.map((item) => item.installationId),
    token: page.items[0].credentials.apns?.token,
    decisions: answer.results.map((result) => result.decision),
    events: changes.items.map((change) => change.event),
  }));
}

main();
