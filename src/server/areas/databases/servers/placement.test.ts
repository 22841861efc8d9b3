import { describe, expect, it } from 'vitest'
import { ServiceError } from '#contract/core/errors.ts'
import { placeDatabase, type ServerRoom } from './placement.ts'

const GB = 1024 ** 3
const server = (name: string, over: Partial<ServerRoom> = {}): ServerRoom => ({
  name,
  state: 'open',
  databases: 0,
  bytes: 0,
  ...over,
})

function place(servers: readonly ServerRoom[]): string {
  try {
    return placeDatabase(servers)
  } catch (error) {
    if (error instanceof ServiceError) return error.code
    throw error
  }
}

describe('DS-01 a new database is placed on the server with the most room', () => {
  it.each<[string, ServerRoom[], string]>([
    ['the one with fewer databases', [server('a', { databases: 2 }), server('b', { databases: 1 })], 'b'],
    ['the first of equal ones', [server('a'), server('b')], 'a'],
    ['the one with less data', [server('a', { bytes: 9 * GB }), server('b', { databases: 3, bytes: GB })], 'b'],
    [
      'the one with the smaller part of its limit in use',
      [server('a', { databases: 50, maxDatabases: 60 }), server('b', { databases: 500, maxDatabases: 1000 })],
      'b',
    ],
    ['never one marked as full', [server('a', { state: 'full' }), server('b', { databases: 9 })], 'b'],
    ['never one marked as draining', [server('a', { state: 'draining' }), server('b', { databases: 9 })], 'b'],
    [
      'never one with as many databases as it may have',
      [server('a', { databases: 1, maxDatabases: 1 }), server('b', { databases: 9 })],
      'b',
    ],
    [
      'never one with as much data as it may have',
      [server('a', { bytes: GB, maxBytes: GB }), server('b', { databases: 9 })],
      'b',
    ],
    ['never one that is away', [server('a', { bytes: undefined }), server('b', { databases: 9 })], 'b'],
    [
      'none where none has room',
      [server('a', { state: 'full' }), server('b', { databases: 1, maxDatabases: 1 })],
      'DATABASE_LIMIT',
    ],
    [
      'none now where those with room are away',
      [server('a', { bytes: undefined }), server('b', { state: 'full' })],
      'UNAVAILABLE',
    ],
    ['the only one, however much it holds', [server('a', { databases: 5000, bytes: 9000 * GB })], 'a'],
  ])('%s', (_, servers, expected) => {
    expect(place(servers)).toBe(expected)
  })
})
