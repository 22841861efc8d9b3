import type { EnvironmentReader } from './reader.ts'

/** The path of an OTLP collector, which people leave out of its address. */
const PATH = '/v1/traces'
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)=([\x20-\x7e]*)$/

/** Returns undefined while tracing is switched off, which it is without an address. */
export function readTraces(read: EnvironmentReader) {
  /** Where spans are sent, as OTLP over HTTP. */
  const url = read.url('SVC_TRACES_URL', ['http:', 'https:'])
  const headers = readHeaders(read)
  /** The part of all traces that is recorded, from 0 to 1. */
  const sample = readSample(read)
  if (url === undefined || !URL.canParse(url)) return undefined
  const address = new URL(url)
  if (address.pathname === '/') address.pathname = PATH
  return Object.freeze({ url: address.href, headers, sample })
}

function readHeaders(read: EnvironmentReader): Readonly<Record<string, string>> {
  const pairs = read.list('SVC_TRACES_HEADERS').map((pair) => HEADER.exec(pair))
  if (pairs.includes(null)) read.fault('SVC_TRACES_HEADERS must be name=value, comma-separated')
  return Object.freeze(Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1]!, pair[2]!]] : []))))
}

function readSample(read: EnvironmentReader): number {
  const text = read.text('SVC_TRACES_SAMPLE') ?? '1'
  const sample = Number(text)
  if (sample >= 0 && sample <= 1) return sample
  read.fault('SVC_TRACES_SAMPLE must be a number from 0 to 1, such as 0.1 for a tenth of all traces')
  return 1
}
