import { useCall } from '#console/call/use-call.ts'
import { readNotificationSettings } from '#contract/notifications/settings.ts'

/** Returns where mails of this installation go, or undefined while that is not known. */
export function useMailPlace() {
  return useCall(readNotificationSettings, {}).data?.mail
}

/** Where the mail of a new invitation went. */
export function MailPlace({ email }: { email: string }) {
  const place = useMailPlace()
  switch (place) {
    case 'mailbox':
      return (
        <p>
          No mail server is configured, so the mail is kept in the local mailbox of the server, which owners open on
          that machine. Send this link to <strong>{email}</strong> yourself.
        </p>
      )
    case 'none':
      return (
        <p>
          No mail server is configured, so no mail is sent. Send this link to <strong>{email}</strong> yourself.
        </p>
      )
    case 'server':
      return (
        <p>
          A mail with this link goes to <strong>{email}</strong>.
        </p>
      )
    case undefined:
      return null
    default:
      return place satisfies never
  }
}
