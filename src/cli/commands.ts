import type { Command } from 'commander'
import type { Cli } from './cli.ts'

/** A command's file gives its options, help text and action to the `command` that carries its name. */
export type Define = (command: Command, cli: Cli) => void
export type Leaf = { name: string; summary: string; load: () => Promise<{ define: Define }> }
export type Group = { name: string; summary: string; commands: readonly Entry[] }
export type Entry = Leaf | Group

/** All commands. A new one is a line here and a file; help lists them without loading any. */
export const COMMANDS: readonly Entry[] = [
  { name: 'login', summary: 'Log in to an instance', load: () => import('./commands/login.ts') },
  { name: 'status', summary: 'Show whether and as whom you are logged in', load: () => import('./commands/status.ts') },
  {
    name: 'context',
    summary: 'Switch between logins',
    commands: [
      { name: 'list', summary: 'List your logins', load: () => import('./commands/context/list.ts') },
      { name: 'use', summary: 'Make a login the current one', load: () => import('./commands/context/use.ts') },
    ],
  },
  {
    name: 'datasource',
    summary: 'Ask the data sources of your organization',
    commands: [
      { name: 'list', summary: 'List those you may ask', load: () => import('./commands/datasource/list.ts') },
      { name: 'query', summary: 'Ask one a question', load: () => import('./commands/datasource/query.ts') },
    ],
  },
  {
    name: 'db',
    summary: 'Managed databases of your organization',
    commands: [
      { name: 'create', summary: 'Create one', load: () => import('./commands/db/create.ts') },
      { name: 'connect', summary: 'Print its connection string', load: () => import('./commands/db/connect.ts') },
    ],
  },
]
