const TIMEOUT =
  /\bE(?:SOCKET)?TIMEDOUT\b|\bUND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT\b|(?<![\w-])tim(?:ed|es|e|ing)[ -]?out\b|\bTimeout(?:Error|Exception)?\b|\bdeadline exceeded\b|\bdid not answer (?:in time|within)\b/i
/** A later attempt can still succeed, and then nobody noticed. */
const TRIED_AGAIN = /\bretr(?:y|ies|ied|ying)\b|\bwill try again\b|\battempt 1\b/i
const MAX_CHARACTERS = 1_000

const URL_HOST = /\b[a-z][a-z0-9+]{1,15}:\/\/(?:[^\s/@]{1,200}@)?([^\s/"'<>:?#)]{1,253})/i
const HOST_NAME = /\b((?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24})(?::\d{1,5})?\b/i
const ADDRESS = /\b(\d{1,3}(?:\.\d{1,3}){3}:\d{1,5})\b/
const SERVICE =
  /\b(?:to|from|calling|reach|reaching|for|upstream|service|host|dependency|of)[ =:]+["'`]?([a-z][\w-]{1,40})/gi
const NO_SERVICE =
  /^(?:the|an?|be|complete|respond|connect|finish|request|requests|response|query|operation|it|this|that|answer|reply|read|write|get|send|upstream|service|host|dependency|timeout|lock|user|order|job|\w{1,2})$/i
/** Names of files look like those of hosts. */
const FILE_NAME = /\.(?:js|ts|mjs|cjs|py|rb|go|java|rs|php|json|log)$/i

/** Returns the host or service that did not answer in time. Undefined for other lines, and where none is named. */
export function timeoutTarget(text: string): string | undefined {
  const line = text.slice(0, MAX_CHARACTERS).split('\n', 1)[0]!
  if (!TIMEOUT.test(line) || TRIED_AGAIN.test(line)) return undefined
  const url = URL_HOST.exec(line)?.[1]
  if (url !== undefined) return url.toLowerCase()
  const address = ADDRESS.exec(line)?.[1]
  if (address !== undefined) return address
  const host = HOST_NAME.exec(line)?.[1]
  if (host !== undefined && !FILE_NAME.test(host)) return host.toLowerCase()
  const services = [...line.matchAll(SERVICE)].map(([, name]) => name!)
  return services.find((name) => !NO_SERVICE.test(name))?.toLowerCase()
}
