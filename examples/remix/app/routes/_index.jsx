export const loader = () => ({ made: 'made with remix' })

export default function Index() {
  return <h1>made with remix</h1>
}
