/** Where mails go that no mail server takes. */
type Unsent = 'mailbox' | 'none'

/** Describes where mails are that are not sent, in the words of client, console and doctor. `mailbox` is its address. */
export function unsentMailText(place: Unsent, mailbox?: string): string {
  const where = mailbox === undefined ? '' : ` ${mailbox},`
  return place === 'none'
    ? 'No mail server is configured: no mail is sent.'
    : `No mail server is configured: mails are in the local mailbox,${where} which owners open on the machine of the server.`
}

/** Returns in words what became of a mail that was delivered. */
export function deliveredWords(place: 'server' | Unsent | undefined): string {
  return place === 'mailbox' ? 'in the local mailbox' : 'sent'
}
