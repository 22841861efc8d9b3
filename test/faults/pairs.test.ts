import { describe, expect, it } from 'vitest'
import { detectIn } from './detect-in.ts'
import { readPairs } from './read-pairs.ts'

/** The kinds that the detectors find in the faulty app of each pair, the gravest first. In its twin they find nothing. */
const EXPECTED: Record<string, Record<string, string[]>> = {
  apps: {
    'certificate-days': ['expiring'],
    'certificate-expired': ['expiring'],
    'deploy-5xx': ['errors_after_deploy'],
    'deploy-missing-column': ['error_in_logs'],
    'deploy-python-tracebacks': ['error_in_logs'],
    'deploy-worker-without-requests': ['error_in_logs', 'error_in_logs', 'error_in_logs', 'error_in_logs'],
    'flapping-daily': ['flapping_check'],
    'flapping-health': ['flapping_check'],
    'memory-java': ['memory_growth'],
    'memory-node-heap': ['memory_growth'],
    'memory-over-limit': ['memory_growth'],
    'memory-pod': ['memory_growth'],
    'slow-access-log': ['slow_endpoint'],
    'slow-json-log': ['slow_endpoint'],
    'slow-logfmt': ['slow_endpoint'],
    'timeout-cache': ['dependency_timeout'],
    'timeout-database': ['dependency_timeout'],
    'timeout-grpc': ['dependency_timeout'],
    'timeout-payments': ['dependency_timeout'],
    'token-expires': ['expiring'],
  },
  'held-out': {
    'certificate-mtls-client': ['expiring'],
    'deploy-logback-null-rate': ['error_in_code'],
    'deploy-monolog-among-noise': ['error_in_logs'],
    'deploy-nginx-quiet-night': ['errors_after_deploy'],
    'flapping-php-fpm-pool': ['flapping_check'],
    'memory-go-killed': ['memory_growth'],
    'slow-rails-invoices': ['slow_endpoint'],
    'slow-router-load-test': ['slow_endpoint'],
    'timeout-dotnet-tax': ['dependency_timeout'],
    'token-structlog-refresh': ['expiring'],
  },
  'held-out-second': {
    'certificate-kestrel-clinic': ['expiring'],
    'deploy-celery-statements': ['error_in_code'],
    'deploy-nextjs-recipes': ['error_in_code'],
    'deploy-nginx-php-reserve': ['error_in_logs'],
    'deploy-spring-seat-map': ['error_in_logs'],
    'memory-rust-thumbnails': ['memory_growth'],
    'slow-phoenix-boards': ['slow_endpoint'],
    'slow-tomcat-search': ['slow_endpoint'],
    'timeout-laravel-sms': ['dependency_timeout'],
    'timeout-sidekiq-ledger': ['dependency_timeout'],
  },
}

describe.each(Object.entries(EXPECTED))('MA-30 without a model, in %s', async (folder, expected) => {
  const pairs = await readPairs(folder)

  it('each pair has an expected result', () => {
    expect(pairs.map(({ name }) => name)).toEqual(Object.keys(expected))
  })

  it.each(pairs)('the app $name has its fault and its twin has none', async ({ name, faulty, healthy }) => {
    const found = await detectIn(faulty)
    expect(found.map(({ kind }) => kind)).toEqual(expected[name])
    for (const { cites } of found) expect(cites).toBeGreaterThan(0)
    expect(await detectIn(healthy)).toEqual([])
  })
})
