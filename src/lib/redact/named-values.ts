import { looksRandom } from './random-text.ts'
import type { Range } from './ranges.ts'

/** Parts of names that mean a secret wherever they stand. */
const STRONG =
  'passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|private[_-]?key|access[_-]?key|signing[_-]?key|account[_-]?key|auth[_-]?key|encryption[_-]?key|master[_-]?key|service[_-]?key|client[_-]?key|shared[_-]?key|credential|authorization|cookie|connection[_-]?string'
/** Words that mean a secret only as a word of a name, such as DB_PASS and dbPass, and not compass or passed. */
const WEAK_WORD =
  '(?<![a-z])(?:db|pg|my|user|root|admin|smtp|imap|mail|ftp|ssh|redis|mongo|amqp|sql|basic|key|http)?[_-]?(?:pass|pw|creds?)(?![a-z])|(?<![a-z])(?:x-auth|_auth)(?![a-z])'
const WEAK_END = '(?<=[a-z])(?:Pass|Pw|Creds?)(?![a-z])'
/** Words whose value is a secret only if it looks random, such as KEY, and names of services. */
const BY_VALUE =
  '(?<![a-z])(?:key|auth|sig|signature|session|sess|sid|nonce|hmac|salt|jwt|otp|pin|bearer|dsn|license)(?![a-z])'
const BY_VALUE_END = '(?<=[a-z])(?:Key|Auth|Sig|Signature|Session|Sid)(?![a-z])'
const SERVICES =
  'adafruit|adobe|airtable|algolia|alibaba|aliyun|asana|atlassian|jira|confluence|beamer|bitbucket|bittrex|meraki|cloudflare|cloudinary|codecov|cohere|coinbase|confluent|contentful|datadog|discord|droneci|dropbox|etsy|facebook|fastly|finicity|finnhub|flickr|freshbooks|gitter|heroku|hubspot|infura|intercom|jfrog|artifactory|bintray|xray|kraken|kucoin|launchdarkly|linear|linked[_-]?in|lob|looker|mailchimp|mailgun|mapbox|mattermost|message[_-]?bird|netlify|new[_-]?relic|nytimes|new-?york-?times|private[_-]?ai|okta|opsgenie|pagerduty|plaid|pusher|rapidapi|rollbar|segment|sendbird|sendgrid|sentry|snyk|sonar|squarespace|sumo|contribsys__com|telegr|travis|twilio|twitch|twitter|typeform|yandex|zendesk|zoom'

const SECRET_NAME = new RegExp(`${STRONG}|${WEAK_WORD}|key|dsn|sig`, 'i')
const SECRET_NAME_END = new RegExp(WEAK_END)

/** Whether the value of a variable with this name is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) || SECRET_NAME_END.test(name)
}

/** Characters between a name and its value, and the value: quoted, or up to the next separator. */
const REST = String.raw`(?<suffix>[\w-]{0,20})\\{0,3}["'\x60]?(?<before>[ \t]{0,4})(?<sign>=>|:=|[!=]?={1,2}|={1,3}|:)[ \t]{0,4}(?:\\{0,3}["'\x60](?<quoted>[^"'\x60\n\\]{4,400})|(?<bare>[^\s"'\x60,;(){}[\]<>&|\\=][^\s"'\x60,;(){}[\]<>&|\\]{3,399}))`

/**
 * A name that stands for a secret, then `=`, `:` or `=>`, then its value. All quantifiers are bounded, because the text
 * comes from logs that anybody can write to. Names in which an upper-case letter begins the word that counts have an
 * expression of their own, because the others ignore the case.
 */
const NAMED_VALUES = [
  new RegExp(`(?:(?<strong>${STRONG})|(?<weak>${WEAK_WORD})|${BY_VALUE}|(?:${SERVICES}))${REST}`, 'gi'),
  new RegExp(`(?:(?<weak>${WEAK_END})|${BY_VALUE_END})${REST}`, 'g'),
]

/** The same names before a value that looks random, with all that programming languages and logs write in between. */
const RANDOM_REST = String.raw`[\w. \t-]{0,20}["'\x60\\ \t]{0,4}(?:[:=?|!]{1,3}>?|[,>])["'\x60\\= \t]{0,5}(?<value>[\w.+/=~:|@%-]{14,400})`
const RANDOM_VALUES = [
  new RegExp(`(?:${STRONG}|${WEAK_WORD}|${BY_VALUE}|${SERVICES})${RANDOM_REST}`, 'gi'),
  new RegExp(`(?:${WEAK_END}|${BY_VALUE_END})${RANDOM_REST}`, 'g'),
]

/** Values of code that name where the secret comes from and do not contain it. */
const REFERENCE =
  /^(?:process\.env|import\.meta|os\.environ|self|this|req|request|config|settings|options|opts|env|ctx|args|params|props|body|data|null|undefined|true|false|none|\$)(?!\w)/i
const TYPE =
  /^(?:string|number|boolean|bool|bytes|buffer|object|unknown|never|void|text|char|varchar|uint8array)(?!\w)/i

/** Finds the values of `password=…`, `"api_key": "…"` and the like, in logs, configuration and source. */
export function findNamedValues(text: string): Range[] {
  return [...findValues(text), ...findRandomValues(text)]
}

function findRandomValues(text: string): Range[] {
  return matchesOf(text, RANDOM_VALUES).flatMap(({ index, 0: match, groups }): Range[] => {
    const end = index + match.length
    // The name of a function that is called.
    if (text[end] === '(') return []
    return looksRandom(groups!.value!) ? [[end - groups!.value!.length, end]] : []
  })
}

function findValues(text: string): Range[] {
  return matchesOf(text, NAMED_VALUES).flatMap((match): Range[] => {
    const { quoted, bare, ...name } = match.groups!
    const value = quoted ?? bare!
    const end = match.index + match[0].length
    const next = text[end]
    const isLast = next === undefined || next === '\n' || next === '\r'
    const isFound = quoted === undefined ? isSecret(value, { ...name, isLast }) : isQuotedSecret(value, name)
    return isFound ? [[end - value.length, end]] : []
  })
}

function matchesOf(text: string, expressions: readonly RegExp[]): RegExpExecArray[] {
  return expressions.flatMap((expression) => [...text.matchAll(expression)])
}

type Name = { readonly strong?: string; readonly weak?: string; readonly suffix?: string }
type Place = Name & { readonly before?: string; readonly sign?: string; readonly isLast: boolean }

/** A template that consists of one inserted value, also behind a word such as Bearer. */
const IS_INSERTED = /^(?:[A-Za-z]{1,20} )?\$\{[^}]{1,100}\}$/
/** Results of `typeof`. */
const IS_TYPE_NAME = /^(?:string|number|boolean|object|undefined|function|symbol|bigint)$/

function isQuotedSecret(value: string, { strong, weak }: Name): boolean {
  if (IS_INSERTED.test(value) || IS_TYPE_NAME.test(value)) return false
  return strong !== undefined || weak !== undefined || looksRandom(value)
}

/**
 * In code a value without quotes is an expression, which is no secret: `token = readToken`. A value is taken for a secret
 * in the form of settings and query strings (`=` without a blank before it), at the end of its line, and with a digit.
 */
function isSecret(value: string, { strong, weak, suffix, before, sign, isLast }: Place): boolean {
  if (sign === '=>' || REFERENCE.test(value) || TYPE.test(value)) return false
  if (strong === undefined && (weak === undefined || sign !== '=')) return looksRandom(value)
  // Such as max_tokens: 2000 and token_count=5.
  if (/^\d{1,9}$/.test(value) && suffix !== '') return false
  if (sign === '=' && before === '') return true
  return (/\d/.test(value) || (isLast && before === '')) && !/[.]\w/.test(value)
}
