import { messageOf } from '#lib/message-of.ts'
import type { OnLine } from '../../deploys/target.ts'

/** Far below the time that a token is good for, so that a failed write or a machine that slept has another chance. */
const REPLACE_MS = 60_000

/** Signs the tokens of one instance. */
type InstanceTokens = {
  readonly sign: () => string
  /** How often it gets a new token. */
  readonly replaceMs?: number | undefined
}

/** Gives an instance a new token from time to time, beginning now: that of one that was left running may be old. */
export function keepToken(
  { replaceToken }: { readonly replaceToken: (token: string) => Promise<void> },
  { sign, replaceMs = REPLACE_MS }: InstanceTokens,
  onLine: OnLine,
): { readonly stop: () => void } {
  const replace = () => {
    replaceToken(sign()).catch((error: unknown) =>
      onLine({ stream: 'system', text: `The app's own token could not be replaced: ${messageOf(error)}.` }),
    )
  }
  replace()
  const timer = setInterval(replace, replaceMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
