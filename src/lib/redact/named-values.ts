import type { Range } from './ranges.ts'

/**
 * A name that stands for a secret, then `=`, `:` or `=>`, then its value: quoted, or up to the next separator. All
 * quantifiers are bounded, because the text comes from logs that anybody can write to.
 */
const NAMED_VALUE =
  /(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|private[_-]?key|access[_-]?key|signing[_-]?key|credential|authorization|cookie)(?<suffix>[\w-]{0,20})\\{0,3}["'`]?(?<before>[ \t]{0,4})(?<sign>=>|={1,3}|:)[ \t]{0,4}(?:\\{0,3}["'`](?<quoted>[^"'`\n\\]{4,400})|(?<bare>[^\s"'`,;(){}[\]<>&|\\=][^\s"'`,;(){}[\]<>&|\\]{3,399}))/gi

/** Values of code that name where the secret comes from and do not contain it. */
const REFERENCE =
  /^(?:process\.env|import\.meta|os\.environ|self|this|req|request|config|settings|options|opts|env|ctx|args|params|props|body|data|null|undefined|true|false|none|\$)(?!\w)/i
const TYPE =
  /^(?:string|number|boolean|bool|bytes|buffer|object|unknown|never|void|text|char|varchar|uint8array)(?!\w)/i

/** Finds the values of `password=…`, `"api_key": "…"` and the like, in logs, configuration and source. */
export function findNamedValues(text: string): Range[] {
  return [...text.matchAll(NAMED_VALUE)].flatMap((match): Range[] => {
    const { quoted, bare, ...name } = match.groups!
    const end = match.index + match[0].length
    if (quoted !== undefined) return isInserted(quoted) ? [] : [[end - quoted.length, end]]
    const next = text[end]
    const isLast = next === undefined || next === '\n' || next === '\r'
    return isSecret(bare!, { ...name, isLast }) ? [[end - bare!.length, end]] : []
  })
}

/** Whether a template consists of one inserted value. */
function isInserted(value: string): boolean {
  return /^\$\{[^}]{1,100}\}$/.test(value)
}

type Place = { readonly suffix?: string; readonly before?: string; readonly sign?: string; readonly isLast: boolean }

/**
 * In code a value without quotes is an expression, which is no secret: `token = readToken`. A value is taken for a secret
 * in the form of settings and query strings (`=` without a blank before it), at the end of its line, and with a digit.
 */
function isSecret(value: string, { suffix, before, sign, isLast }: Place): boolean {
  if (sign === '=>' || REFERENCE.test(value) || TYPE.test(value)) return false
  // Such as max_tokens: 2000 and token_count=5.
  if (/^\d{1,9}$/.test(value) && suffix !== '') return false
  if (sign === '=' && before === '') return true
  return (/\d/.test(value) || (isLast && before === '')) && !/[.]\w/.test(value)
}
