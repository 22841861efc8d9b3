import { describe, expect, it } from 'vitest'
import { createMetrics } from './metrics.ts'

describe('metrics', () => {
  it('count requests by operation and status, in buckets of seconds', async () => {
    const { registry, requests } = createMetrics({ processMetrics: false })
    const labels = { service: 'auth-service', operation: 'auth.create-org', status: '201' }
    requests.of(labels)(0.004)
    requests.of(labels)(0.2)
    requests.of({ ...labels, status: '409' })(7)
    const text = await registry.metrics()
    const of = (status: string) => `service="auth-service",operation="auth.create-org",status="${status}"`
    expect(text).toContain(`svc_request_duration_seconds_bucket{le="0.001",${of('201')}} 0`)
    expect(text).toContain(`svc_request_duration_seconds_bucket{le="0.005",${of('201')}} 1`)
    expect(text).toContain(`svc_request_duration_seconds_bucket{le="0.5",${of('201')}} 2`)
    expect(text).toContain(`svc_request_duration_seconds_bucket{le="5",${of('409')}} 0`)
    expect(text).toContain(`svc_request_duration_seconds_count{${of('409')}} 1`)
    expect(text).toContain(`svc_request_duration_seconds_bucket{le="+Inf",${of('409')}} 1`)
    expect(text).toContain(`svc_request_duration_seconds_sum{${of('201')}} 0.20400000000000001`)
    expect(text).toContain('# TYPE svc_request_duration_seconds histogram')
  })

  it('count the faults of each loop', async () => {
    const { registry, loopFaults } = createMetrics({ processMetrics: false })
    loopFaults.inc({ loop: 'ship' })
    loopFaults.inc({ loop: 'ship' })
    expect(await registry.metrics()).toContain('svc_loop_faults_total{loop="ship"} 2')
  })

  it('belong to one registry, and include process metrics only on request', async () => {
    const [one, two] = [createMetrics({ processMetrics: true }), createMetrics({ processMetrics: false })]
    one.loopFaults.inc({ loop: 'ship' })
    expect(await one.registry.metrics()).toContain('process_cpu_seconds_total')
    expect(await two.registry.metrics()).not.toContain('ship')
    expect(await two.registry.metrics()).not.toContain('process_cpu_seconds_total')
  })
})
