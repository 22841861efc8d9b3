/** Parts of names of secrets. They count wherever they are in a name, as in `userpassword` or `sessiontokens`. */
const SECRET_PARTS = ['passw', 'passphrase', 'secret', 'token', 'hash', 'apikey', 'credential', 'email', 'e_mail']

/** Words of names that hold secrets, data about people, or what was written for few readers. */
const SENSITIVE_WORDS = new Set(
  `pwd pass pw key salt pin otp mfa totp auth session cookie signature fingerprint certificate cert private internal
  confidential hidden note mail phone telephone mobile fax address street zip postcode postal city birth birthday birthdate
  dob age gender sex religion nationality ethnicity health medical diagnosis disability salary wage income pay payroll iban
  bic swift account card cvv cvc ssn sin tax vat passport licence license ip latitude longitude lat lon lng location device
  username login firstname lastname surname fullname person user member contact customer patient employee`
    .split(/\s+/)
    .filter(Boolean),
)

/** Whether a column or table could hold secrets or personal data, by its name. Prefers a question too many. */
export function looksSensitive(name: string): boolean {
  const words = wordsOf(name)
  const joined = words.join('_')
  const isSecret = SECRET_PARTS.some((part) => joined.includes(part) || words.join('').includes(part))
  return isSecret || words.some((word) => SENSITIVE_WORDS.has(word) || SENSITIVE_WORDS.has(word.replace(/s$/, '')))
}

/** Splits `apiKey`, `api_key`, `API-Key` and `APIKey` into `api` and `key`. */
function wordsOf(name: string): string[] {
  const spaced = name.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
  return spaced
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
}
