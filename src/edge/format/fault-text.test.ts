import { expect, it } from 'vitest'
import { z } from 'zod'
import { faultText } from './fault-text.ts'

it.each([
  [z.int().max(20), 21, 'must be at most 20'],
  [z.int().min(1), 0, 'must be at least 1'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.string().min(1), '', 'must have at least 1 character'],
  [z.string().max(3), 'four', 'must have at most 3 characters'],
  [z.array(z.string()).max(2), ['a', 'b', 'c'], 'must have at most 2 entries'],
  [z.string(), undefined, 'required'],
  [z.string(), 7, 'must be a string'],
  [z.boolean(), 'yes', 'must be true or false'],
  [z.object({}), [], 'must be an object'],
  [z.enum(['viewer', 'owner']), 'boss', 'must be one of viewer, owner'],
  [z.literal('list'), 'x', 'must be list'],
  [z.email(), 'me', 'must be an email address'],
  [z.iso.datetime(), 'soon', 'must be an RFC 3339 date and time in UTC'],
  [z.union([z.string(), z.boolean()]), 1, 'not a valid value'],
  [z.url(), 'nowhere', 'must be a web address'],
  [z.uuid(), 'x', 'not a valid value'],
  [z.string().regex(/^a/), 'b', 'not a valid value'],
  [z.record(z.string().regex(/^a/), z.string()), { b: 'x' }, 'not a valid value'],
  [z.number().multipleOf(5), 7, 'not a valid value'],
  [z.strictObject({}), { a: 1 }, 'not a valid value'],
  [z.date(), 'x', 'not a valid value'],
  [z.string().regex(/^a/, 'must begin with a'), 'b', 'must begin with a'],
])('names what is accepted, in one phrase: %#', (schema, value, text) => {
  expect(schema.safeParse(value).error!.issues.map(faultText)).toEqual([text])
})
