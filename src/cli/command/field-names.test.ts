import { describe, expect, it } from 'vitest'
import { ServiceError } from '#contract/core/errors.ts'
import { TABLE } from '../commands.ts'
import { reportError } from '../terminal/exit.ts'
import { typedName } from './field-names.ts'

const commandOf = (path: string) => TABLE.commands.find((row) => row.path === path)!

describe('CL-03 a refused field has the name that the person typed', () => {
  it.each([
    ['checks create', 'definition.target', '--target'],
    ['checks create', 'definition.expected_status', '--status'],
    ['checks create', 'definition.timeout_seconds', '--within'],
    ['checks change', 'definition.max_count', '--max'],
    ['checks change', 'definition.min_count', '--min'],
    ['checks create', 'definition.window_minutes', '--window'],
    ['checks create', 'schedule.every_minutes', '--every'],
    ['checks create', 'schedule.cron', '--cron'],
    ['checks create', 'name', '<name>'],
    ['apps create', 'start_command', '--start'],
    ['apps change', 'build_command', '--build'],
    ['apps change', 'health_path', '--health-path'],
    ['apps rollback', 'revision_id', '--revision'],
    ['apps logs', 'deploy_id', '--deploy'],
    ['datasource query', 'filters.colour', '--filter colour'],
    ['datasource query', 'filters.target', '--filter target'],
    ['datasource query', 'filters.year.0', '--filter year'],
    ['datasource query', 'top_k', '--top-k'],
    ['datasource query', 'query', '<question>'],
    ['datasource expose', 'min_role', '--min-role'],
    ['functions call', 'arguments.name', '--data name'],
    ['activity', 'source_id', '--source'],
    ['tickets move', 'ticket_id', '<ticket>'],
    ['notifications follows set', 'categories.0', '--category'],
    ['notifications subscriptions add', 'channel_id', '<channel>'],
    ['notifications subscriptions add', 'event_type', '<event-type>'],
    ['notifications deliveries list', 'channel_id', '--channel'],
    ['company trust', 'scopes.1', '--scope'],
    ['tokens create', 'expires_at', '--expires-days'],
    ['tokens create', 'colour', 'colour'],
    ['api', 'data', 'data'],
  ])('svc %s: %s is %s', (command, path, expected) => {
    expect(typedName(path, commandOf(command))).toBe(expected)
  })

  it('in the text of an error, and not in JSON, which has the fields of the API', () => {
    const errors = [{ path: 'definition.target', message: 'required' }]
    const error = new ServiceError('INVALID_REQUEST', 'definition.target: required', { errors })
    const report = (format: 'text' | 'json') => {
      const lines: string[] = []
      reportError(
        error,
        format,
        { note: (line) => lines.push(line), config: { program: 'svc' } },
        commandOf('checks create'),
      )
      return lines
    }
    expect(report('text')[0]).toBe('svc: --target: required')
    expect(JSON.parse(report('json')[0]!)).toMatchObject({ error: { detail: 'definition.target: required', errors } })
  })

  it('a field that an option names is not one that another option has', () => {
    for (const { path, options = [], arguments: args = [] } of TABLE.commands) {
      const fields = [...args, ...options].map(({ name, field }) => field ?? name.replaceAll('-', '_'))
      expect([path, fields]).toEqual([path, [...new Set(fields)]])
    }
  })
})
