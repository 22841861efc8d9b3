import type { Client } from '#contract/core/client.ts'
import { unsentMailText } from '#contract/notifications/mail-place.ts'
import { mailboxPage } from '#contract/notifications/mailbox.ts'
import { readNotificationSettings } from '#contract/notifications/settings.ts'
import type { Cli, LoginFlags } from '../command/command.ts'
import { findLogin } from '../login/credentials.ts'

/** Returns where mails go. Undefined if that is not known. */
export async function mailPlace(client: Client) {
  // An instance of an older version may not answer this, and members below admins may not ask.
  const settings = await client.call(readNotificationSettings, {}).catch(() => undefined)
  return settings?.mail
}

/** Returns a line that says where mails are, if they are not sent. Undefined also if the caller may not know. */
export async function mailNote(client: Client, flags: LoginFlags, { config }: Cli): Promise<string | undefined> {
  const place = await mailPlace(client)
  if (place === 'none') return unsentMailText(place)
  if (place !== 'mailbox') return undefined
  const login = await findLogin(config, flags.context)
  return unsentMailText(place, `${login?.api_url}${mailboxPage.path}`)
}
