import { spellings } from '../canary.ts'
import { SECRET_FORMATS } from '../secret-formats.ts'

type PlantedSecret = { readonly format: string; readonly text: string; readonly secret: string }

/** One text of each public format. Those that only differ in the secret also name their format, to be searched for. */
export const PLANTED: readonly PlantedSecret[] = SECRET_FORMATS.map(([format, marked]) => ({
  format,
  secret: /‹(.*)›/s.exec(marked!)![1]!,
  text: marked!.replaceAll(/[‹›]/g, '').replace('calling with', `calling ${format} with`),
}))

/** The readable beginning of each text, which a model can search for. */
export const SEARCHED: readonly string[] = PLANTED.map(({ text, secret }) => text.slice(0, text.indexOf(secret)).trim())
  .map((word) => word.slice(0, 24))
  .filter((word) => word.length > 2)

/** Values of variables that no format recognises. */
export const OWN_VALUES: Readonly<Record<string, string>> = {
  GREETING: 'a violet submarine',
  MOTTO: 'nine/quiet+otters & co',
  HANDLE: 'grünes-krokodil-77',
  RELAY: 'amqp://worker:plum.otter.9@queue.internal/jobs',
  NOTE: 'first quiet line\nsecond "quoted" line',
}

/** Shorter ones are searched for as they are, because their encodings are parts of ordinary words. */
const MIN_ENCODED = 12

/** Returns which of the secrets a text has, plain or encoded. */
export function createLeakSearch(secrets: readonly string[]): (text: string) => string[] {
  const searched = [...new Set(secrets)].flatMap((secret) =>
    (secret.length < MIN_ENCODED ? [{ spelled: secret }] : spellings(secret)).map(({ spelled }) => ({
      secret,
      spelled,
    })),
  )
  return (text) => searched.filter(({ spelled }) => text.includes(spelled)).map(({ spelled }) => spelled)
}
