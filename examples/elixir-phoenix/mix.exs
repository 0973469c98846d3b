defmodule Shop.MixProject do
  use Mix.Project

  def project do
    [app: :shop, version: "0.1.0", elixir: "~> 1.15", aliases: aliases(), deps: deps()]
  end

  def application, do: [mod: {Shop.Application, []}, extra_applications: [:logger]]

  defp deps, do: [{:phoenix, "~> 1.8"}, {:bandit, "~> 1.5"}]

  defp aliases, do: ["assets.deploy": ["phx.digest"]]
end
