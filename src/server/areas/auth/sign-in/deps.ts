import type { Cookies } from '#edge/credentials/cookies.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { KeyValueStore } from '#lib/kv/kv.ts'
import type { Log } from '#lib/log/log.ts'
import type { AuthDeps } from '../model/deps.ts'
import type { LocalCode } from './local/local-code.ts'
import type { MailFiles } from './mailed-link/mail-files.ts'
import type { Provider } from './providers/providers.ts'

export type SignInDeps = AuthDeps & {
  readonly kv: KeyValueStore
  readonly sealer: Sealer
  readonly log: Log
  readonly cookies: Cookies
  readonly providers: readonly Provider[]
  /** The public address of this service. Always set if there is a provider. */
  readonly redirectBaseUrl: string | undefined
  readonly allowedRedirectBaseUrls: readonly string[]
  /** Undefined where local sign-in is not available. */
  readonly local: LocalCode | undefined
  /** Where sign-in mails are written instead of being sent. Undefined with a mail server. */
  readonly mailFiles: MailFiles | undefined
}
