import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ERRORS, type ErrorCode, ServiceError } from '#contract/core/errors.ts'
import { TABLE } from '../commands.ts'
import { hintFor, LIST_COMMANDS } from './hints.ts'

const SOURCES = join(import.meta.dirname, '..', '..')

/** Things that are refused with "No such …" and that no command of the client lists. */
const WITHOUT_LIST = [
  'area of the API',
  'table',
  'chat connection',
  'chat link',
  'deletion',
  'file',
  'forum',
  'guide',
  'organization',
  'person',
  'signing secret',
  'session',
  'support session',
  'worker',
]

const hint = (code: ErrorCode, detail: string) => hintFor(new ServiceError(code, detail), 'svc')

describe('CL-03 hints', () => {
  test('each code has the hint that fits all of its messages, or none', () => {
    const codes = Object.keys(ERRORS) as ErrorCode[]
    const hints = codes.map((code) => [code, hint(code, 'That did not work.')] as const)
    expect(Object.fromEntries(hints.filter(([, text]) => text !== undefined))).toEqual({
      INVALID_REQUEST: 'Add --help to the command to see what it takes.',
      INVALID_TOKEN: 'Log in: svc login --api-url <url> --api-key-stdin',
      FORBIDDEN: 'Ask an owner of your organization, or use another login: svc context use <name>',
      READ_ONLY_SESSION: 'Use a login that can make changes: svc context use <name>',
      CONFLICT: 'Nothing was changed.',
      RATE_LIMITED: 'Wait a little, then try again.',
      INTERNAL: 'Try again. If it happens again, tell the operator of this instance.',
      UNAVAILABLE: 'Try again later.',
      TIMEOUT: 'Try again, or allow more time with --timeout.',
    })
  })

  test('a message that says what to do is not followed by another advice', () => {
    const follow = 'You can follow apps that you build. Ask an administrator of the app for a part.'
    expect(hint('FORBIDDEN', follow)).toBeUndefined()
    expect(hint('UNAVAILABLE', 'Your part cannot be checked at the moment. Try again later.')).toBeUndefined()
    expect(hint('NOT_FOUND', 'No such deletion. It may have been undone already.')).toBeUndefined()
    expect(hint('NOT_FOUND', 'Nothing is served at this path. The API reference is at /docs.')).toBeUndefined()
  })

  test('a name that does not exist is followed by the command that lists its kind', () => {
    expect(hint('NOT_FOUND', 'No such ticket.')).toBe('List what exists: svc tickets list <alias>')
    expect(hint('NOT_FOUND', 'No such database: nowhere.')).toBe('List what exists: svc db list')
    expect(hint('NOT_FOUND', 'No such app `shpo`.')).toBe('List what exists: svc apps list')
    expect(hint('NOT_FOUND', 'No such forum.')).toBeUndefined()
  })

  test('every kind of thing that the server refuses has its list, or is named as one without', () => {
    const files = globSync('{server,edge}/**/*.ts', { cwd: SOURCES }).filter((file) => !file.endsWith('.test.ts'))
    const texts = files.map((file) => readFileSync(join(SOURCES, file), 'utf8'))
    const kinds = texts.flatMap((text) => [...text.matchAll(/(?:notFound\('|['`]No such )([\w ]+)[':.]/g)])
    const found = [...new Set(kinds.map(([, kind]) => kind!))]
    expect(found.filter((kind) => !Object.hasOwn(LIST_COMMANDS, kind) && !WITHOUT_LIST.includes(kind))).toEqual([])
  })

  test.each(Object.entries(LIST_COMMANDS))('the list of %s is a command with these arguments', (_, line) => {
    const words = line.split(' ')
    const path = words.filter((word) => !word.startsWith('<')).join(' ')
    const command = TABLE.commands.find((row) => row.path === path)
    const needed = (command?.arguments ?? []).filter(({ optional }) => !optional)
    expect([command?.path, needed.length]).toEqual([path, words.filter((word) => word.startsWith('<')).length])
  })
})
