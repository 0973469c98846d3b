module.exports = {
  title: 'made with docusaurus',
  url: 'https://docs.example.com',
  baseUrl: '/',
  presets: [['classic', { docs: { routeBasePath: '/' }, blog: false }]],
}
