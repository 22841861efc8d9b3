import * as z from 'zod'
import { MAX_ANSWER_BYTES, MAX_RECORDED_BYTES } from './program/bounds.ts'

const MAX_BODY_TEXT = Math.ceil(MAX_ANSWER_BYTES / 3) * 4
const MAX_RECORDED_TEXT = Math.ceil(MAX_RECORDED_BYTES / 3) * 4

const id = z.int().min(0)
const text = z.string().max(500)
const outcome = z.union([
  z.strictObject({ status: z.int().min(200).max(599), ms: z.int().min(0) }),
  z.strictObject({ noAnswer: z.enum(['app', 'visitor']) }),
])

/** Checks each message of the door. The door is not trusted, because it handles the bytes of apps. */
export const fromDoor = z.discriminatedUnion('is', [
  z.strictObject({ is: z.literal('loaded') }),
  z.strictObject({ is: z.literal('listening'), port: z.int().min(1).max(65_535) }),
  z.strictObject({ is: z.literal('not_listening'), reason: text }),
  /** A request to an app. */
  z.strictObject({ is: z.literal('asked'), id, label: z.string().max(63), isSocket: z.literal(true).optional() }),
  /** The app accepted the WebSocket that was asked for. */
  z.strictObject({ is: z.literal('opened'), id }),
  /** `outcome`: of a request to an app, if svc asked for outcomes. */
  z.strictObject({ is: z.literal('ended'), id, outcome: outcome.optional() }),
  z.strictObject({ is: z.literal('done'), id, fault: text.optional() }),
  z.strictObject({ is: z.literal('answered'), id, status: z.int().min(200).max(599) }),
  /** The start of the body, after `answered`. `broken`: the app ended it too early. */
  z.strictObject({ is: z.literal('body'), id, bytes: z.base64().max(MAX_BODY_TEXT), broken: z.boolean() }),
  z.strictObject({ is: z.literal('unanswered'), id, sent: z.boolean() }),
  /** Bytes of a suspected app, told before anything reads them. */
  z.strictObject({
    is: z.literal('recorded'),
    connection: id,
    deploy: z.string().max(100),
    bytes: z.base64().max(MAX_RECORDED_TEXT),
    hasEnded: z.boolean(),
  }),
  z.strictObject({ is: z.literal('refused'), path: z.string().max(200), reason: text }),
  z.strictObject({ is: z.literal('fault'), label: z.string().max(63), reason: text }),
])
