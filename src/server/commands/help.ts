import { GUIDES_PATH } from '#contract/guides.ts'

type Usage = readonly [line: string, summary: string]
type CommandHelp = {
  readonly usage: readonly Usage[]
  readonly text: string
  /** The page and heading of the guide that has more. */
  readonly guide: string
}

const HELP: Readonly<Record<string, CommandHelp>> = {
  start: {
    usage: [['start', 'start the server, by default with everything in .svc/ of the current folder']],
    text: `The settings are environment variables. The server prints its address and what to do next. Apps are answered on a port
of their own (SVC_APPS_PORT), by default the one after PORT. Ctrl-C stops it.`,
    guide: 'running#variables',
  },
  restart: {
    usage: [['restart', 'restart the server on the embedded data folder, while apps go on']],
    text: `restart stops the server in order and begins it again from the program that is on the disk by then, with the same
process id and the variables with which it was started, not those of this command: for a new variable, stop the server
and start it with that. Apps and their port go on meanwhile. It needs the data folder (SVC_DATA_DIR) and no other setting.`,
    guide: 'apps#when-svc-restarts',
  },
  keeper: {
    usage: [['keeper', 'keep apps in a process of its own, so that they go on when the server stops']],
    text: `keeper is a service to run beside the server, with the same data folder (SVC_DATA_DIR), the same user and the same
file systems. Start it first. It ends its apps when it stops. Without it the server starts one that ends with the server.`,
    guide: 'apps#when-svc-restarts',
  },
  migrate: {
    usage: [['migrate', 'apply all pending migrations and print each of them']],
    text: `migrate needs DATABASE_URL and no secrets. A server migrates when it starts. Run this command first if servers run with
SVC_MIGRATE=off. It is safe to interrupt and repeat.`,
    guide: 'running#upgrading',
  },
  reseal: {
    usage: [['reseal', 'seal every stored secret under the current data key (SVC_DATA_KEY)']],
    text: `reseal is the last step of changing the data key. Afterwards you can remove former keys from
SVC_DATA_KEYS_FORMER. It is safe to interrupt and repeat.`,
    guide: 'running#changing-the-data-key',
  },
  doctor: {
    usage: [['doctor [--json]', 'say what is wrong with this installation, and change nothing']],
    text: `doctor checks the configuration, the stores, keys, clocks, waiting work and every address that is configured. Run it
with the variables of the server that has the trouble; that server can keep running. It ends with 6 if it finds a
problem.`,
    guide: 'running#finding-faults',
  },
  backup: {
    usage: [
      [
        'backup <file> [--public-key <key>]... [--key-file <file>] [--max-hours <n>]',
        'save the installation, encrypted, while it runs; the file can be - or s3://bucket/name',
      ],
      [
        'backup verify <file> [--key-file <file>]',
        'restore a backup to a place that is thrown away, and prove that it works',
      ],
      ['backup key', 'print a new pair of keys for backups'],
    ],
    text: `backup saves the databases, the roles, the revisions of apps and the secrets. It is always encrypted: for a public key,
or with the passphrase in SVC_BACKUP_PASSPHRASE or in --key-file. verify takes the private key or the passphrase from
--key-file, SVC_BACKUP_PRIVATE_KEY or SVC_BACKUP_PASSPHRASE. On Postgres both need its programs (pg_dump, pg_restore) on
the PATH. They are safe to interrupt and repeat.`,
    guide: 'operations#backup',
  },
  restore: {
    usage: [
      [
        'restore <file> [--key-file <file>] [--secrets-to <file>] [--without-missing] [--keep-port]',
        'restore a backup to an empty folder or database; starts nothing',
      ],
    ],
    text: `restore takes the private key or the passphrase of the backup from --key-file, SVC_BACKUP_PRIVATE_KEY or
SVC_BACKUP_PASSPHRASE. On Postgres it needs pg_restore on the PATH. On the embedded default the databases get another port
than those of the original, unless --keep-port says otherwise. It is safe to interrupt and repeat.`,
    guide: 'operations#restore',
  },
  'park-deliveries': {
    usage: [['park-deliveries [--confirm]', 'after restoring a backup: do not send what may have been sent already']],
    text: `park-deliveries needs DATABASE_URL and no secrets. Run it after restoring a backup and before starting a server, so that
no notification is sent twice. Without --confirm it prints how many would be parked and changes nothing. It is safe to
interrupt and repeat.`,
    guide: 'notifications#after-restoring-a-backup',
  },
  'fetch-revision': {
    usage: [
      [
        'fetch-revision <address of svc> <revision> <folder>',
        'in the pod of an app: write the files of its revision into the folder',
      ],
    ],
    text: `fetch-revision is for pods that svc makes (SVC_DEPLOY_TARGET=kubernetes). It needs the token that is projected into
them and reads no other setting.`,
    guide: 'kubernetes#apps',
  },
  databases: {
    usage: [
      ['databases', 'list the Postgres servers of managed databases and unfinished moves'],
      [
        'databases move <name or id> --to <server> [--dry-run] [--max-hours <n>]',
        'move a managed database to another server while questions to it are answered',
      ],
      ['databases drop-old <name or id> [--confirm]', 'drop the copy that a move left on the former server'],
    ],
    text: `databases needs the variables of the server and, to move, pg_dump and pg_restore on the PATH. The owner of a database
cannot connect while it is moved. It is safe to interrupt and repeat.`,
    guide: 'database-servers#moving-a-database',
  },
}

export const COMMAND_NAMES = Object.keys(HELP)

const EXITS = `Exit codes: 0 success, 1 unexpected error, 4 no database in the data folder, 5 wrong usage or configuration,
6 the data folder is in use, the schema does not fit this version, values remain under another key, or doctor found a
problem.`

/** Lines no longer than this have their summary beside them. */
const USAGE_COLUMNS = 20

/** Help of one command, or of all if the name is none. */
export function helpFor(name: string | undefined): string {
  const help = name !== undefined && Object.hasOwn(HELP, name) ? HELP[name] : undefined
  return help ? commandHelp(help) : overview()
}

/** The lines that show how a command is typed. */
export function usageOf(name: string): string {
  return HELP[name]!.usage.map(([line]) => `svc-server ${line}`).join('\nor: ')
}

function commandHelp({ usage, text, guide }: CommandHelp): string {
  return ['Usage:', ...usage.flatMap(usageLines), '', text, '', guideLine(guide), '', EXITS].join('\n')
}

function overview(): string {
  return [
    'Start or maintain an svc server. The other commands are run with the same environment variables as the server.',
    '',
    'Usage:',
    ...Object.values(HELP).flatMap(({ usage }) => usage.flatMap(usageLines)),
    '  svc-server --version',
    '',
    'Use svc-server <command> --help for more information about a command.',
    guideLine('running'),
    '',
    `With Postgres the server can keep running, except for park-deliveries and restore. With the embedded database, stop it
first, except for backup, doctor, restart and keeper.`,
    '',
    EXITS,
  ].join('\n')
}

function usageLines([line, summary]: Usage): string[] {
  const indent = ' '.repeat(USAGE_COLUMNS + 5)
  const command = `  svc-server ${line}`
  if (command.length > indent.length - 2) return [command, indent + summary]
  return [command.padEnd(indent.length) + summary]
}

function guideLine(guide: string): string {
  return `The guide is at ${GUIDES_PATH}/${guide} of every running server.`
}
