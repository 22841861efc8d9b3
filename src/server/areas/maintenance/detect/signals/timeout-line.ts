const TIMEOUT =
  /\bE(?:SOCKET)?TIMEDOUT\b|\bUND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT\b|(?<![\w-])tim(?:ed|es|e|ing)[ -]?out\b|\bTimeout(?:Error|Exception)?\b|\bdeadline (?:exceeded|has elapsed)\b|\bexecution expired\b|:timeout\b|\w(?:Timeout|TimedOut)(?:Error|Exception)?\b|\bdid not answer (?:in time|within)\b/i
/** A later attempt can still succeed, and then nobody noticed. */
const TRIED_AGAIN = /\bretr(?:y|ies|ied|ying)\b|\bwill try again\b|\battempt 1\b/i
const GAVE_UP =
  /\b(?:max(?:imum)? )?retries (?:exceeded|exhausted)\b|\bgiv(?:ing|en|es?) up\b|\bno (?:more )?retries\b/i
const MAX_CHARACTERS = 1_000
const MAX_LINES = 8
/** Frames name the code that waited, and links to a manual are not what it waited for. */
const FRAME = /^\s{0,40}(?:at |#\d|File "|\.\.\. )/
const MANUAL = /\(see https?:\/\/[^\s)]{1,300}\)/g
const SOCKET = /\bunix:[^\s"']{0,200}?([\w.-]{1,60})\.sock\b/

const URL_HOST = /\b[a-z][a-z0-9+]{1,15}:\/\/(?:[^\s/@]{1,200}@)?([^\s/"'<>:?#)]{1,253})/i
/** Small letters only, and nothing of a longer name: `java.net.SocketTimeoutException` is no host. */
const HOST_NAME = /(?<![\w.@-])((?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24})(?![\w(-]|\.\w|::)/
const ADDRESS = /\b(\d{1,3}(?:\.\d{1,3}){3}:\d{1,5})\b/
const SERVICE =
  /\b(?:to|from|calling|reach|reaching|for|upstream|service|host|dependency|of)[ =:]+["'`]?([a-z][\w-]{1,40})/gi
const NO_SERVICE =
  /^(?:the|an?|be|complete|respond|connect|finish|request|requests|response|query|operation|it|this|that|answer|reply|read|write|get|send|upstream|service|host|dependency|timeout|lock|user|order|job|\w{1,2})$/i
/** Names of files look like those of hosts. */
const FILE_NAME = /\.(?:js|ts|mjs|cjs|py|rb|go|java|rs|php|json|log)$/i

/** Returns the host or service that did not answer in time. Undefined for other entries, and where none is named. */
export function timeoutTarget(text: string): string | undefined {
  const message = messageOf(text)
  if (!TIMEOUT.test(message) || (TRIED_AGAIN.test(message) && !GAVE_UP.test(message))) return undefined
  const socket = SOCKET.exec(message)?.[1]
  if (socket !== undefined) return socket
  const url = URL_HOST.exec(message)?.[1]
  if (url !== undefined) return url.toLowerCase()
  const address = ADDRESS.exec(message)?.[1]
  if (address !== undefined) return address
  const host = HOST_NAME.exec(message)?.[1]
  if (host !== undefined && !FILE_NAME.test(host)) return host
  const services = [...message.matchAll(SERVICE)].map(([, name]) => name!)
  return services.find((name) => !NO_SERVICE.test(name))?.toLowerCase()
}

/** `Net::ReadTimeout`, `httpx.ReadTimeout`, `java.net.SocketTimeoutException`. The words of other lines are written apart. */
const TIMEOUT_EXCEPTION =
  /(?<![\w.:])((?:[A-Za-z]\w{0,60}(?:\.|::)){0,6}[A-Z]\w{0,40}?Time(?:d)?[oO]ut(?:Error|Exception)?)(?=[:( ]|$)/

/** Returns the name of the exception by which a call ended that took too long. Undefined for other entries. */
export function timeoutException(text: string): string | undefined {
  const message = messageOf(text)
  return TRIED_AGAIN.test(message) && !GAVE_UP.test(message) ? undefined : TIMEOUT_EXCEPTION.exec(message)?.[1]
}

/** The message and the exceptions below it: what was called and that it timed out often stand on different lines. */
function messageOf(text: string): string {
  const lines = text.slice(0, 4 * MAX_CHARACTERS).split('\n', 4 * MAX_LINES)
  const messages = lines.filter((line) => !FRAME.test(line)).slice(0, MAX_LINES)
  return messages.join(' ').slice(0, MAX_CHARACTERS).replaceAll(MANUAL, '')
}
