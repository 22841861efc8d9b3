import type { Client } from '#contract/core/client.ts'
import { mailboxPage } from '#contract/notifications/mailbox.ts'
import { readNotificationSettings } from '#contract/notifications/settings.ts'
import type { Cli, LoginFlags } from '../command/command.ts'
import { findLogin } from '../login/credentials.ts'

/** Returns a line that says where mails are, if they are not sent. Undefined also if the caller may not know. */
export async function mailNote(client: Client, flags: LoginFlags, { config }: Cli): Promise<string | undefined> {
  // An instance of an older version may not answer this, and members below admins may not ask.
  const settings = await client.call(readNotificationSettings, {}).catch(() => undefined)
  if (settings?.mail === 'none') return 'No mail server is configured: no mail is sent.'
  if (settings?.mail !== 'mailbox') return undefined
  const login = await findLogin(config, flags.context)
  return `No mail server is configured: mails are in the local mailbox, ${login?.api_url}${mailboxPage.path}, which owners open on the machine of the server.`
}
