import { Link } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { StatusChip } from '#console/parts/list/chip.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { listChecks } from '#contract/checks/checks.ts'
import { showCheckState } from '../checks/describe-check.ts'

const MAX_CHECKS = 8

/** The state of each check, those that need attention first. */
export function LatestChecks({ alias }: { alias: string }) {
  const checks = useCall(listChecks, { alias, limit: 50 }, { poll: 'background' })
  return (
    <section className="card">
      <h2>Checks</h2>
      <Loaded of={checks} rows={3}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="soft">
              Nothing watches this app.{' '}
              <Link to="/apps/$alias/checks" params={{ alias }}>
                Create a check
              </Link>
            </p>
          ) : (
            <ul className="bare-list">
              {items
                .toSorted((a, b) => Number(a.state === 'pass') - Number(b.state === 'pass'))
                .slice(0, MAX_CHECKS)
                .map((check) => (
                  <li key={check.id} className="row spread">
                    <Link to="/apps/$alias/checks/$checkId" params={{ alias, checkId: check.id }}>
                      {check.name}
                    </Link>
                    <StatusChip of={showCheckState(check)} />
                  </li>
                ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  )
}
