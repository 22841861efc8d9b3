import type { SystemMail } from '#ports/system-mail.ts'
import type { DeletionRow } from './store.ts'

type Recipient = { readonly user_id: string; readonly email: string }

/** Returns the mail to one owner. The key names the request and the owner, so that each gets one. */
export function orgDeletionMail(
  deletion: DeletionRow,
  { user_id, email }: Recipient,
  { name, baseUrl }: { name: string; baseUrl: string },
): SystemMail {
  return {
    key: keyOf(deletion, user_id),
    org_id: deletion.id,
    to: email,
    subject: `${name} will be deleted on ${dayOf(deletion.due_at)}`,
    paragraphs: [
      `An owner asked for the deletion of the organization ${name}. Until ${timeOf(deletion.due_at)} nothing changes. ` +
        'After that its apps are stopped, its databases are dropped, and everything in it is deleted for good.',
      'If this is not wanted, any owner can undo it until then: on the page of the organization, or with svc org undelete.',
    ],
    action: { label: 'Open the organization', link: `${baseUrl}/settings/organization` },
    expires_at: deletion.due_at,
  }
}

export function personDeletionMail(deletion: DeletionRow, { user_id, email }: Recipient, baseUrl: string): SystemMail {
  return {
    key: keyOf(deletion, user_id),
    org_id: null,
    to: email,
    subject: `Your account will be deleted on ${dayOf(deletion.due_at)}`,
    paragraphs: [
      `The operator of ${baseUrl} was asked to delete your account. Until ${timeOf(deletion.due_at)} nothing changes. ` +
        'After that your address, your name, your sign-ins, your tokens and your connected agents are deleted for good.',
      'If you did not ask for this, tell the operator: until then it can be undone.',
    ],
    action: null,
    expires_at: deletion.due_at,
  }
}

/** Returns the mail to one owner who was mailed about the deletion before. */
export function orgStaysMail(
  deletion: DeletionRow,
  { user_id, email }: Recipient,
  { name, baseUrl }: { name: string; baseUrl: string },
): SystemMail {
  return {
    key: `${keyOf(deletion, user_id)}:undone`,
    org_id: deletion.id,
    to: email,
    subject: `${name} will not be deleted`,
    paragraphs: [
      `The deletion of the organization ${name}, which was due on ${dayOf(deletion.due_at)}, was undone. ` +
        'Nothing in it was changed.',
    ],
    action: { label: 'Open the organization', link: `${baseUrl}/settings/organization` },
    expires_at: null,
  }
}

export function personStaysMail(deletion: DeletionRow, { user_id, email }: Recipient, baseUrl: string): SystemMail {
  return {
    key: `${keyOf(deletion, user_id)}:undone`,
    org_id: null,
    to: email,
    subject: 'Your account will not be deleted',
    paragraphs: [
      `The deletion of your account at ${baseUrl}, which was due on ${dayOf(deletion.due_at)}, was undone. ` +
        'Nothing in it was changed.',
    ],
    action: null,
    expires_at: null,
  }
}

function keyOf({ id, requested_at }: DeletionRow, userId: string): string {
  return `deletion:${id}:${requested_at.toISOString()}:${userId}`
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}

function timeOf(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
