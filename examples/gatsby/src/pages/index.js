import * as React from 'react'

export default function Index() {
  return <h1>made with gatsby</h1>
}
