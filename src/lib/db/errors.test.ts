import { describe, expect, it } from 'vitest'
import { WorkerStopped } from '../threads/worker-host.ts'
import { DatabaseUnavailable, unavailableFrom } from './errors.ts'

const coded = (code: string, message = 'some message') => Object.assign(new Error(message), { code })

describe('a database that cannot answer now', () => {
  it.each([
    ['a statement past its limit', coded('57014')],
    ['a server that shuts down', coded('57P01')],
    ['a server that is starting', coded('57P03')],
    ['too many connections', coded('53300')],
    ['a lost connection', coded('08006')],
    ['a closed port', coded('ECONNREFUSED')],
    ['a reset', coded('ECONNRESET')],
    ['an unknown host', coded('ENOTFOUND')],
    ['no free connection', new Error('timeout exceeded when trying to connect')],
    ['a slow server', new Error('timeout expired')],
    ['an end in the middle', new Error('Connection terminated unexpectedly')],
    ['an engine that stopped', new WorkerStopped('the worker thread ended with code 1')],
  ])('is recognised by %s', (_, error) => {
    const unavailable = unavailableFrom(error)
    expect(unavailable).toBeInstanceOf(DatabaseUnavailable)
    expect(unavailable).toMatchObject({ message: 'the database cannot answer now', cause: error, retryAfterSeconds: 1 })
  })

  it('stays itself, and is found in what wraps it', () => {
    const unavailable = new DatabaseUnavailable('busy', { cause: undefined, retryAfterSeconds: 7 })
    expect(unavailableFrom(unavailable)).toBe(unavailable)
    expect(unavailableFrom(new Error('failed', { cause: unavailable }))).toBe(unavailable)
    expect(unavailable.retryAfterSeconds).toBe(7)
  })

  it.each([
    ['a duplicate key', coded('23505')],
    ['wrong SQL', coded('42601')],
    ['a deadlock', coded('40P01')],
    ['a text about it', coded('P0001', 'so: Connection terminated')],
    ['no error', 'Connection terminated'],
    ['nothing', undefined],
  ])('is not %s', (_, error) => {
    expect(unavailableFrom(error)).toBeUndefined()
  })
})
