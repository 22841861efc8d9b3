import { useRef } from 'react'
import { docs } from '#contract/system.ts'
import { KeyForm } from './key-form.tsx'
import { SourceList } from './source-list.tsx'
import { useSources } from './use-sources.ts'

export function App() {
  const { sources, load, forget } = useSources()
  const heading = useRef<HTMLHeadingElement>(null)
  const startAgain = () => {
    forget()
    heading.current?.focus()
  }
  return (
    <>
      <header>
        <span className="name">svc</span>
        <nav aria-label="Main">
          <a href={docs.path}>API documentation</a>
        </nav>
      </header>
      <main>
        <h1 ref={heading} tabIndex={-1}>
          Your data sources
        </h1>
        {sources.state === 'loaded' ? (
          <>
            <SourceList items={sources.items} />
            <button type="button" className="quiet" onClick={startAgain}>
              Use another key
            </button>
          </>
        ) : (
          <>
            <p>Enter an API key to see the data sources you may ask.</p>
            <KeyForm busy={sources.state === 'loading'} onSubmit={(apiKey) => void load(apiKey)} />
          </>
        )}
        <p role="alert" className="error">
          {sources.state === 'failed' && sources.detail}
        </p>
      </main>
    </>
  )
}
