defmodule Words.MixProject do
  use Mix.Project

  def project, do: [app: :words, version: "0.1.0", elixir: "~> 1.18", deps: [{:bandit, "~> 1.5"}]]

  def application, do: [mod: {Words, []}]
end
