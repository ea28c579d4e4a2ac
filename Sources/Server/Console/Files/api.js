// The calls of the service's own HTTP API; the console has no other source.

/// An answer that is an error: the problem document (RFC 9457) of the service.
export class Failure extends Error {
  constructor(status, problem, retryAfter) {
    super(problem.detail ?? problem.title ?? `The service answered ${status}.`);
    this.status = status;
    this.code = problem.code ?? '';
    this.problem = problem;
    /// What is wrong in the input, each with `pointer`, `code` and `detail`.
    this.errors = problem.errors ?? [];
    this.retryAfter = retryAfter;
  }
}

const storage = 'postilion.key';

/// The key of this tab, which forgets it when it is closed.
export const session = {
  get key() { return sessionStorage.getItem(storage); },
  set key(key) {
    if (key) sessionStorage.setItem(storage, key); else sessionStorage.removeItem(storage);
  },
  /// Whether the key is a root key, which sees all apps.
  get isRoot() { return session.key?.startsWith('pst_root_') ?? false; },
};

/// Where a call goes: parts of a path, each percent-encoded, and the query without what is empty.
export function address(parts, query = {}) {
  const pairs = (query instanceof URLSearchParams ? [...query] : Object.entries(query))
    .filter(([, value]) => value !== null && value !== undefined && value !== '');
  const text = new URLSearchParams(pairs).toString();
  return '/v1/' + parts.map((part) => encodeURIComponent(part)).join('/') + (text ? `?${text}` : '');
}

/// Sends a request and gives the `Response`; throws a `Failure` for any status from 400.
/// - body: an object goes as JSON, anything else as it is.
/// - key: another one than that of the session, to try it.
export async function call(method, parts, { query, body, headers = {}, signal, key = session.key } = {}) {
  const isPlain = body && Object.getPrototypeOf(body) === Object.prototype;
  let response;
  try {
    response = await fetch(address(parts, query), {
      // A deletion may be the last thing that a page does.
      method, signal, cache: 'no-store', credentials: 'omit', keepalive: method === 'DELETE',
      headers: {
        Authorization: `Bearer ${key}`,
        ...(isPlain ? { 'Content-Type': 'application/json' } : {}), ...headers,
      },
      body: isPlain ? JSON.stringify(body) : body,
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Failure(0, { code: 'unreachable', detail: 'The service cannot be reached.' });
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  const failure = new Failure(response.status, problem, response.headers.get('Retry-After'));
  if (response.status === 401 && key === session.key) dispatchEvent(new CustomEvent('signedout', { detail: failure }));
  throw failure;
}

/// The answer to a `GET`, read as JSON.
export const get = async (parts, query, signal, key) =>
  (await call('GET', parts, { query, signal, key })).json();

/// The answer to a `POST` of JSON.
export const post = async (parts, body, query, signal) =>
  (await call('POST', parts, { body, query, signal })).json();

/// The pages of a list, a page a call: `load()` gives the next items, `undefined` at the end.
export function pages(parts, query = {}, signal, key) {
  let cursor;
  return async () => {
    if (cursor === null) return undefined;
    const page = await get(parts, { limit: 50, ...query, cursor }, signal, key);
    cursor = page.next_cursor;
    return page.items;
  };
}

/// All items of a list that is known to be short.
export async function all(parts, query = {}, signal, key) {
  const load = pages(parts, { limit: 1000, ...query }, signal, key);
  const items = [];
  for (let page = await load(); page; page = await load()) items.push(...page);
  return items;
}

/// The builds that devices report and that have no catalog. They were counted a while ago: those
/// whose catalog has come since are left out.
export function buildsWithoutCatalog(stats, catalogs) {
  const versions = new Set(catalogs.map(({ version }) => version));
  return stats.builds_without_catalog
    .filter((build) => !versions.has(build.app_build) && !versions.has(build.app_version));
}

/// Saves an answer as a file.
export async function download(parts, query, type, name) {
  const response = await call('GET', parts, { query, headers: { Accept: type } });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/// A call as a command for a terminal; the key stays out of it.
export function asCurl(method, parts, body) {
  const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
  const lines = [`curl -X ${method} ${quote(location.origin + address(parts))}`,
    '-H "Authorization: Bearer $POSTILION_KEY"'];
  if (body) lines.push(`--json ${quote(JSON.stringify(body))}`);
  return lines.join(' \\\n  ');
}
