import type { Command } from '../../command/command.ts'

export const org: readonly Command[] = [
  {
    path: 'org show',
    summary: 'Show your organization',
    description:
      'Show your organization, its email domains, and whether it is going to be deleted. `svc org` does the same.',
    isDefault: true,
    examples: ['svc org show', 'svc org show --json'],
    load: async () => (await import('./show.ts')).show,
  },
  {
    path: 'org export',
    summary: 'Save the whole organization in a file',
    description:
      'Save everything of the organization that its owner can read in one tar archive: people, configuration, Activity, the audit log, what was sent, apps with their source and logs, and each database as SQL. Secrets are not in it. A part that cannot be read is named in manifest.json and on stderr, and the exit code is then not 0. Needs the role owner.',
    arguments: [{ name: 'file', summary: 'the archive, such as acme.tar' }],
    options: [{ name: 'force', summary: 'replace the file if it exists' }],
    examples: ['svc org export acme.tar'],
    load: async () => (await import('./export/export.ts')).exportOrg,
  },
  {
    path: 'org delete',
    summary: 'Delete your organization in seven days',
    description:
      'Delete your organization with everything in it. For seven days nothing changes, every owner gets a mail, and `svc org undelete` undoes it. After that it cannot be undone. Needs the role owner.',
    confirms: true,
    examples: ['svc org delete', 'svc org delete --yes'],
    load: async () => (await import('./delete.ts')).remove,
  },
  {
    path: 'org undelete',
    summary: 'Undo the deletion of your organization',
    description:
      'Undo the deletion of your organization, as long as its seven days are not over. Needs the role owner.',
    examples: ['svc org undelete'],
    load: async () => (await import('./delete.ts')).undo,
  },
]
