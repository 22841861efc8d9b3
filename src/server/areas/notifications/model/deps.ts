import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import type { SendMail } from '#lib/net/mail/mail.ts'
import type { DkimKey, MailAddress } from '#lib/net/mail/mail-message.ts'
import type { SafeFetch } from '#lib/net/safe-fetch.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { AppDirectory } from '#ports/apps.ts'
import type { People } from '#ports/people.ts'
import type { SystemMails } from '#ports/system-mail.ts'

/** Dependencies of the area. Each part picks those that it uses. */
export type NotificationDeps = {
  db: Db
  sealer: Sealer
  clock: Clock
  people: People
  apps: AppDirectory
  mails: SystemMails
  safeFetch: SafeFetch
  /** Reaches also the networks that the operator allows for forums. */
  forumFetch: SafeFetch
  /** Whether the operator allows forums on private networks, where https is not usual. */
  allowsPrivateForums: boolean
  /** Refuses, without connecting, a URL that a webhook may not have. */
  checkAddress: (url: string) => Promise<void>
  /** `mailbox` keeps mails on this machine. Undefined when the operator has configured no mail server. */
  mail?: MailSettings | 'mailbox' | undefined
  /** Undefined when the operator has configured none: then chat is connected by incoming webhooks only. */
  chatApp: ChatApp | undefined
  /** Address of the console, which links begin with. */
  baseUrl: () => string
  /** Names of the cookies that a session is read from. */
  sessionCookies: readonly string[]
}

export type MailSettings = {
  readonly from: MailAddress
  readonly dkim: DkimKey | undefined
  readonly sendMail: SendMail
}

/** The operator's app at the chat service, by which organizations install it and people link their accounts. */
export type ChatApp = { readonly clientId: string; readonly clientSecret: string }
