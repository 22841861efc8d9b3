import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ERRORS, type ErrorCode, ServiceError } from '#contract/core/errors.ts'
import { Interrupted, reportError, Unsuccessful } from './exit.ts'

function report(error: unknown, format: 'text' | 'json' = 'text', program: 'svc' | 'npx svc' = 'svc') {
  const lines: string[] = []
  return { exit: reportError(error, format, { note: (line) => lines.push(line), config: { program } }), lines }
}

describe('CL-02 exit codes', () => {
  test.each(Object.keys(ERRORS) as ErrorCode[])('%s exits as the table of errors says', (code) => {
    expect(report(new ServiceError(code, 'no')).exit).toBe(ERRORS[code].exit)
  })

  test('an interrupted command exits with 130 and prints nothing', () => {
    expect(report(new Interrupted())).toEqual({ exit: 130, lines: [] })
  })

  test('a command that has printed a failure exits with 1 and prints nothing more', () => {
    expect(report(new Unsuccessful())).toEqual({ exit: 1, lines: [] })
  })

  test('an unexpected error exits with 1', () => {
    expect(report(new Error('boom')).exit).toBe(1)
    expect(report('boom').exit).toBe(1)
    expect(report(new Error('boom')).lines).toEqual([
      'svc: Unexpected error in the client: boom',
      expect.stringContaining('This happened on this machine, not in the instance.'),
    ])
  })
})

describe('CL-03 errors say what to do next', () => {
  test('detail, then each fault, then the hint', () => {
    const errors = [{ path: 'filters.year', message: 'must be a number' }]
    expect(report(new ServiceError('INVALID_REQUEST', 'the request is not valid', { errors })).lines).toEqual([
      'svc: the request is not valid',
      '  filters.year: must be a number',
      'Add --help to the command to see what it takes.',
    ])
  })

  test.each([
    ['color: cannot be filtered on', 'cannot be filtered on'],
    ['This is not a timezone.', 'This is not a timezone.'],
  ])('a fault that the detail names already is not listed again: %s', (detail, message) => {
    const errors = [
      { path: 'color', message },
      { path: 'size', message: 'too long' },
    ]
    expect(report(new ServiceError('INVALID_REQUEST', detail, { errors })).lines.slice(0, 2)).toEqual([
      `svc: ${detail}`,
      '  size: too long',
    ])
  })

  test('a refused login names the command to log in', () => {
    expect(report(new ServiceError('INVALID_TOKEN', 'no')).lines.at(-1)).toMatch(/^Log in: svc login --api-url/)
  })

  test('commands are named as the person runs svc', () => {
    const error = new ServiceError('INVALID_TOKEN', 'no')
    expect(report(error, 'text', 'npx svc').lines.at(-1)).toMatch(/^Log in: npx svc login --api-url/)
    expect(report(error, 'json', 'npx svc').lines.join()).toContain('Log in: npx svc login --api-url')
  })

  test('a server that says when to come back is quoted', () => {
    expect(report(new ServiceError('RATE_LIMITED', 'slow', { retryAfterSeconds: 7 })).lines).toEqual([
      'svc: slow',
      'Try again in 7 seconds.',
    ])
  })

  test('a message that names the time to wait is not followed by a hint', () => {
    const error = new ServiceError('RATE_LIMITED', 'Limit reached. Try again in 7 seconds.', { retryAfterSeconds: 7 })
    expect(report(error).lines).toEqual(['svc: Limit reached. Try again in 7 seconds.'])
  })

  test('asked for JSON, the error is a document with the same words', () => {
    const errors = [{ path: 'name', message: 'too long' }]
    const { lines } = report(new ServiceError('RATE_LIMITED', 'slow', { errors, retryAfterSeconds: 7 }), 'json')
    expect(JSON.parse(lines.join('\n'))).toEqual({
      error: {
        code: 'RATE_LIMITED',
        detail: 'slow',
        errors,
        retry_after_seconds: 7,
        hint: 'Try again in 7 seconds.',
        exit_code: 1,
      },
    })
  })

  test('an answer in an unknown format is reported as such', () => {
    const shape = z.object({ a: z.string() }).safeParse({}).error
    expect(report(shape).lines[0]).toContain('This version of svc does not understand the answer.')
  })

  test('control characters from a server are not printed', () => {
    expect(report(new ServiceError('INTERNAL', '\u001b[2Jgone')).lines[0]).toBe('svc:  [2Jgone')
  })
})
