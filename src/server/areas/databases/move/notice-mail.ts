import type { Person } from '#ports/people.ts'
import type { SystemMail } from '#ports/system-mail.ts'
import type { MoveNotice } from './notice-store.ts'

type NoticeContext = { readonly orgName: string | null; readonly baseUrl: string }

/**
 * Returns the mail to one person about the new address of a database. Contains no connection string, because mail is not
 * a place for a password. The key names the move and the person, so that each person gets one mail.
 */
export function moveMail(
  notice: MoveNotice,
  { user_id, email }: Person,
  { orgName, baseUrl }: NoticeContext,
): SystemMail {
  const { id, org_id, name, switched_at } = notice
  const when = `${switched_at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return {
    key: `database-move:${id}:${switched_at.toISOString()}:${user_id}`,
    org_id,
    to: email,
    subject: `The database ${name} has a new address`,
    paragraphs: [
      `The database ${name}${orgName === null ? '' : ` of ${orgName}`} was moved to another Postgres server at ${when}. ` +
        'Its host and port changed; user, password and database name stay.',
      `Programs that connect with the old connection string are refused. Run svc db connect ${name} to get the new one, ` +
        'and set it wherever the old one is used. Questions to its data source need no change.',
    ],
    action: { label: 'See databases', link: `${baseUrl}/databases` },
    expires_at: null,
  }
}
