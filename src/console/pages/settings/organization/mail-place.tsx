import { useCall } from '#console/call/use-call.ts'
import { unsentMailText } from '#contract/notifications/mail-place.ts'
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
    case 'none':
      return (
        <p>
          {unsentMailText(place)} Send this link to <strong>{email}</strong> yourself.
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
