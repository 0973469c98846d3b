export default function Page() {
  return <h1>made with next</h1>
}
