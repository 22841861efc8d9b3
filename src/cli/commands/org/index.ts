import type { Command } from '../../command/command.ts'

export const org: readonly Command[] = [
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
]
