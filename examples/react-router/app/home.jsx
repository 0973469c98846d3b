export default function Home() {
  return <h1>made with react router</h1>
}
