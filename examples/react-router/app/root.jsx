import { Links, Meta, Outlet, Scripts } from 'react-router'

export function Layout({ children }) {
  return (
    <html lang="en">
      <head>
        <Meta />
        <Links />
      </head>
      <body>
        {children}
        <Scripts />
      </body>
    </html>
  )
}

export function HydrateFallback() {
  return <p>react router is on its way</p>
}

export default function Root() {
  return <Outlet />
}
