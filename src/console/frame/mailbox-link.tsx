import { mailboxPage } from '#contract/notifications/mailbox.ts'
import { readNotificationSettings } from '#contract/notifications/settings.ts'
import { useCall } from '../call/use-call.ts'
import { useHasRole } from '../session/session.ts'

const THIS_MACHINE = ['127.0.0.1', 'localhost', '[::1]']

/** The way to mails that were kept instead of sent. The page is for owners on the machine of the server only. */
export function MailboxLink() {
  const canOpen = useHasRole('owner') && THIS_MACHINE.includes(location.hostname)
  const settings = useCall(readNotificationSettings, {}, { enabled: canOpen })
  if (!canOpen || settings.data?.mail !== 'mailbox') return null
  return (
    <li>
      <a href={mailboxPage.path}>Local mailbox</a>
    </li>
  )
}
