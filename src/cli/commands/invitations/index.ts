import { type Argument, type Command, LIMIT } from '../../command/command.ts'
import { ROLE_CHOICES } from '../members/index.ts'

const ID: Argument = { name: 'id', summary: 'invitation id from `svc invitations list`' }

export const invitations: readonly Command[] = [
  {
    path: 'invitations list',
    summary: 'List open invitations',
    description:
      'List the open invitations to your organization, and what became of their mails. `svc invitations` does the same. Needs the role owner.',
    isDefault: true,
    options: [LIMIT],
    examples: ['svc invitations list'],
    load: async () => (await import('./invitations.ts')).list,
  },
  {
    path: 'invitations create',
    summary: 'Invite a person by email',
    description:
      'Mail an invitation to your organization and print its link, which is shown only now. It can be used once, within seven days, by a person who signs in with that address. Needs the role owner.',
    arguments: [{ name: 'email', summary: 'email address of the person' }],
    options: [{ name: 'role', value: 'role', choices: ROLE_CHOICES, summary: 'role of the person (default: member)' }],
    examples: ['svc invitations create ada@example.com --role developer'],
    load: async () => (await import('./invitations.ts')).create,
  },
  {
    path: 'invitations resend',
    summary: 'Mail an invitation again',
    description:
      'Mail a new link for an open invitation and print it. The former link stops working. Needs the role owner.',
    arguments: [ID],
    examples: ['svc invitations resend inv_01jd8y0v7wf9hbq7s7x2e3m4n5'],
    load: async () => (await import('./invitations.ts')).resend,
  },
  {
    path: 'invitations revoke',
    summary: 'Revoke an invitation',
    description: 'Revoke an open invitation. Its link stops working at once. Needs the role owner.',
    arguments: [ID],
    confirms: true,
    examples: ['svc invitations revoke inv_01jd8y0v7wf9hbq7s7x2e3m4n5 --yes'],
    load: async () => (await import('./invitations.ts')).revoke,
  },
]
