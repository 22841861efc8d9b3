import { z } from 'zod'
import { BODY_LIMIT, NO_BODY, OPEN_STREAMS } from './limits.ts'

const input = z.object({})

/** The fields that ordinary operations of a method have in common, and no input. An operation that differs says so after it. */
export const jsonGet = { kind: 'json', method: 'GET', effect: 'read', bodyLimit: NO_BODY, input } as const
export const jsonPost = { kind: 'json', method: 'POST', effect: 'write', bodyLimit: BODY_LIMIT, input } as const
export const jsonPut = { kind: 'json', method: 'PUT', effect: 'write', bodyLimit: BODY_LIMIT, input } as const
export const jsonPatch = { kind: 'json', method: 'PATCH', effect: 'write', bodyLimit: BODY_LIMIT, input } as const
export const jsonDelete = { kind: 'json', method: 'DELETE', effect: 'write', bodyLimit: NO_BODY, input } as const
export const rawGet = { kind: 'raw', method: 'GET', effect: 'read', bodyLimit: NO_BODY, input } as const
export const rawPost = { kind: 'raw', method: 'POST', effect: 'write', input } as const
export const uploadPost = { kind: 'upload', method: 'POST', effect: 'write' } as const
export const followGet = {
  kind: 'stream',
  method: 'GET',
  effect: 'read',
  bodyLimit: NO_BODY,
  concurrency: OPEN_STREAMS,
  resumable: true,
} as const
