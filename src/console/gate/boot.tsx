/** The frame without content, until it is known who is signed in. `index.html` has the same, so that it is there at once. */
export function Boot() {
  return (
    <div className="frame">
      <header className="top">
        <span className="brand">svc</span>
      </header>
      <aside className="sidebar">
        <p className="org">svc</p>
      </aside>
      <main aria-busy="true">
        <p className="visually-hidden">Loading</p>
      </main>
    </div>
  )
}
