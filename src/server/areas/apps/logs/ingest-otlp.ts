import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { ServiceError } from '#contract/core/errors.ts'
import { parseJson } from '#edge/input/parse-json.ts'
import { levelOfWord } from '#lib/log/level-names.ts'
import type { AppDeps } from '../model/deps.ts'
import { cleanLine } from './clean-line.ts'
import { levelNumber, levelOfOtlp } from './level.ts'
import { findOtlpRecords, type OtlpRecord, readOtlpRecord } from './otlp-json.ts'
import { ProtobufFault, ProtobufTooLarge, readOtlpProtobuf } from './otlp-protobuf.ts'
import { appendLines, type NewLine } from './store.ts'
import { timeOfLine } from './time-of-line.ts'

const MAX_UNPACKED_BYTES = 32 * 1024 * 1024
const MAX_RECORDS = 50_000
const BATCH_LINES = 1_000

type Deps = Pick<AppDeps, 'db' | 'clock'>
const unpack = promisify(gunzip)

/** Stores the records of one OTLP request, and answers in the encoding it came in. */
export async function answerOtlp({ db, clock }: Deps, appId: string, request: Request): Promise<Response> {
  const isProtobuf = request.headers.get('content-type')?.startsWith('application/x-protobuf') ?? false
  const bytes = await readBytes(request)
  const records = isProtobuf ? readBinary(bytes) : readJson(bytes)
  const now = clock.now()
  for (let from = 0; from < records.length; from += BATCH_LINES) {
    const lines = records.slice(from, from + BATCH_LINES).map((record) => toLine(record, now))
    await db.tx((tx) => appendLines(tx, appId, lines))
  }
  const type = isProtobuf ? 'application/x-protobuf' : 'application/json'
  return new Response(isProtobuf ? '' : '{}', { headers: { 'content-type': type } })
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const bytes = new Uint8Array(await request.arrayBuffer())
  const encoding = request.headers.get('content-encoding') ?? 'identity'
  if (encoding === 'identity') return bytes
  if (encoding !== 'gzip') throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding must be gzip or absent.')
  try {
    return await unpack(bytes, { maxOutputLength: MAX_UNPACKED_BYTES })
  } catch (error) {
    if (error instanceof RangeError) {
      throw new ServiceError('PAYLOAD_TOO_LARGE', `The unpacked body may have at most ${MAX_UNPACKED_BYTES} bytes.`)
    }
    throw new ServiceError('INVALID_REQUEST', 'The body is not valid gzip.')
  }
}

function readJson(bytes: Uint8Array): OtlpRecord[] {
  const records = findOtlpRecords(parseJson(Buffer.from(bytes).toString('utf8')))
  refuseMany(records.length)
  return records.map(readOtlpRecord)
}

function refuseMany(count: number): void {
  if (count > MAX_RECORDS) throw tooManyRecords()
}

function tooManyRecords(): ServiceError {
  const detail = `A request may have at most ${MAX_RECORDS} log records, with twenty fields each. Send smaller batches.`
  return new ServiceError('PAYLOAD_TOO_LARGE', detail)
}

function readBinary(bytes: Uint8Array): OtlpRecord[] {
  try {
    return readOtlpProtobuf(bytes, MAX_RECORDS)
  } catch (error) {
    if (error instanceof ProtobufTooLarge) throw tooManyRecords()
    if (!(error instanceof ProtobufFault)) throw error
    throw new ServiceError('INVALID_REQUEST', `The body is not an OTLP log request: ${error.message}.`)
  }
}

function toLine(record: OtlpRecord, now: Date): NewLine {
  const level = levelOfWord(record.severityText) ?? levelOfOtlp(record.severityNumber)
  return {
    deployId: null,
    at: timeOf(record, now),
    level: levelNumber(level),
    source: 'ingest',
    text: cleanLine(textOf(record)),
    dropped: 0,
  }
}

function timeOf({ timeUnixNano, observedTimeUnixNano }: OtlpRecord, now: Date): Date {
  const nano = timeUnixNano === 0n ? observedTimeUnixNano : timeUnixNano
  return nano === 0n ? now : timeOfLine(new Date(Number(nano / 1_000_000n)), now)
}

/** The body, then the attributes as `key=value`, so that all of it can be searched. */
function textOf({ body, attributes }: OtlpRecord): string {
  const values = Object.entries(attributes).map(([key, value]) => `${key}=${plain(value)}`)
  return [plain(body), ...values].filter((part) => part !== '').join(' ')
}

function plain(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
